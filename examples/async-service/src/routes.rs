//! The routes: from a request to the library, and from what it says to the answer.

use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::header::{ETAG, LOCATION};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use diesel_versioned::async_prelude::*;

use crate::catalogue::{Form, Product};
use crate::condition::{self, Expected};
use crate::database::Store;
use crate::failure::Failure;
use crate::transfer::{MovesStock, Transfer, Transferred};

/// The service on a database.
pub(crate) fn router<S: Store>(store: S) -> Router {
    Router::new()
        .route("/products", post(create::<S>))
        .route(
            "/products/{id}",
            get(read::<S>).put(replace::<S>).delete(remove::<S>),
        )
        .route("/transfers", post(transfer::<S>))
        .fallback(no_such_path)
        .method_not_allowed_fallback(no_such_method)
        .with_state(store)
}

async fn read<S: Store>(
    State(store): State<S>,
    id: Result<Path<i64>, PathRejection>,
) -> Result<Response, Failure> {
    let Path(id) = id?;
    let mut conn = store.connection().await?;
    let product = Product::find(&mut conn, id)
        .await
        .map_err(|error| Failure::of_read(error, id))?;
    Ok(with_etag(product).into_response())
}

async fn create<S: Store>(
    State(store): State<S>,
    form: Result<Json<Form>, JsonRejection>,
) -> Result<Response, Failure> {
    let Json(form) = form?;
    let mut product = form.new_product()?;
    let mut conn = store.connection().await?;
    product
        .insert(&mut conn)
        .await
        .map_err(|error| Failure::of_save(&error, None, None))?;
    let location = [(LOCATION, format!("/products/{}", product.id))];
    Ok((StatusCode::CREATED, location, with_etag(product)).into_response())
}

/// Writes the whole row as it was edited, unless someone else has written it since it was read.
async fn replace<S: Store>(
    State(store): State<S>,
    id: Result<Path<i64>, PathRejection>,
    headers: HeaderMap,
    form: Result<Json<Form>, JsonRejection>,
) -> Result<Response, Failure> {
    let (Path(id), Json(form)) = (id?, form?);
    let expected = Expected::of(&headers, form.version)?;
    let (mut product, was) = form.edited(id, expected.version())?;
    let mut conn = store.connection().await?;
    product
        .save(&mut conn)
        .await
        .map_err(|error| Failure::of_save(&error, Some(expected), was.as_ref()))?;
    Ok(with_etag(product).into_response())
}

async fn remove<S: Store>(
    State(store): State<S>,
    id: Result<Path<i64>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let Path(id) = id?;
    let expected = Expected::of_header_only(&headers)?;
    let mut conn = store.connection().await?;
    let mut product = Product::find(&mut conn, id)
        .await
        .map_err(|error| Failure::of_read(error, id))?;
    // Guarded by what the client has read, not by what was read just now.
    product.version = expected.version();
    product
        .delete(&mut conn)
        .await
        .map_err(|error| Failure::of_save(&error, Some(expected), None))?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn transfer<S: Store>(
    State(store): State<S>,
    wanted: Result<Json<Transfer>, JsonRejection>,
) -> Result<Json<Transferred>, Failure> {
    let Json(wanted) = wanted?;
    let mut conn = store.connection().await?;
    // On its own, so that a client that goes away does not leave the transaction open: the pool
    // would keep it, with its locks, until it has the next use for that connection.
    let moving = tokio::spawn(async move { conn.transfer(wanted).await });
    Ok(Json(moving.await??))
}

async fn no_such_path(uri: Uri) -> Failure {
    let message = format!("there is nothing at {}", uri.path());
    Failure::new(StatusCode::NOT_FOUND, "request.path", message)
}

async fn no_such_method(uri: Uri) -> Failure {
    let message = format!(
        "{} does not take this method; `Allow` says which",
        uri.path()
    );
    Failure::new(StatusCode::METHOD_NOT_ALLOWED, "request.method", message)
}

fn with_etag(product: Product) -> impl IntoResponse {
    ([(ETAG, condition::etag(product.version))], Json(product))
}
