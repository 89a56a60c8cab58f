//! Asynchronous closures whose futures are `Send`, which the traits of the language cannot say.

use std::future::Future;

/// An asynchronous closure whose future is `Send`. Implemented for all of them; the bound that
/// `also` cannot say otherwise.
pub trait AlsoFn<A, R>: AsyncFnOnce(A) -> R + FnOnce(A) -> <Self as AlsoFn<A, R>>::Running {
    /// What runs.
    type Running: Future<Output = R>;
}

impl<F, A, R, Running> AlsoFn<A, R> for F
where
    F: AsyncFnOnce(A) -> R + FnOnce(A) -> Running,
    Running: Future<Output = R>,
{
    type Running = Running;
}

/// The same with two arguments, for [`run`](crate::unit_of_work::UnitOfWork::run).
pub trait RunFn<A, B, R>:
    AsyncFnOnce(A, B) -> R + FnOnce(A, B) -> <Self as RunFn<A, B, R>>::Running
{
    /// What runs.
    type Running: Future<Output = R>;
}

impl<F, A, B, R, Running> RunFn<A, B, R> for F
where
    F: AsyncFnOnce(A, B) -> R + FnOnce(A, B) -> Running,
    Running: Future<Output = R>,
{
    type Running = Running;
}
