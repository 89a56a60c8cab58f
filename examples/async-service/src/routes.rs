//! The routes: from a request to the library, and from what it says to the answer.

use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::header::{ETAG, LOCATION};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use diesel_versioned::async_prelude::*;
use diesel_versioned::http::{IfMatch, IfNoneMatch};

use crate::catalogue::{Form, Product};
use crate::database::Store;
use crate::expected::expect;
use crate::failure::{Failure, of_body, of_path};
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
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let id = of_path(id)?;
    let condition = IfNoneMatch::from_headers(&headers)?;
    let mut conn = store.connection().await?;
    let product = Product::find(&mut conn, id).await?;
    let etag = product.etag();
    if condition.is_some_and(|condition| condition.not_modified(&etag)) {
        return Ok((StatusCode::NOT_MODIFIED, [(ETAG, etag)]).into_response());
    }
    Ok(with_etag(product).into_response())
}

async fn create<S: Store>(
    State(store): State<S>,
    form: Result<Json<Form>, JsonRejection>,
) -> Result<Response, Failure> {
    let mut product = of_body(form)?.new_product()?;
    let mut conn = store.connection().await?;
    product.insert(&mut conn).await?;
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
    let (id, mut form) = (of_path(id)?, of_body(form)?);
    let (was, in_body) = (form.was.take(), form.version);
    let mut product = form.edited(id)?;
    let mut conn = store.connection().await?;
    let expected = expect(&mut conn, &mut product, &headers, in_body).await?;
    if let Err(error) = product.save(&mut conn).await {
        let was = was.map(|was| was.of(&product));
        return Err(Failure::of_save(error, expected.as_ref(), was));
    }
    Ok(with_etag(product).into_response())
}

async fn remove<S: Store>(
    State(store): State<S>,
    id: Result<Path<i64>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let id = of_path(id)?;
    let if_match = IfMatch::required(&headers)?;
    let mut conn = store.connection().await?;
    let mut product = Product::find(&mut conn, id).await?;
    // What was read just now is one of those that the client has read, or it stays.
    let expected = product.expect_loaded(&if_match)?;
    if let Err(error) = product.delete(&mut conn).await {
        return Err(Failure::of_save(error, Some(&expected), None));
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn transfer<S: Store>(
    State(store): State<S>,
    wanted: Result<Json<Transfer>, JsonRejection>,
) -> Result<Json<Transferred>, Failure> {
    let wanted = of_body(wanted)?;
    let mut conn = store.connection().await?;
    // On its own, so that a client that goes away does not leave the transaction open: the pool
    // would keep it, with its locks, until it has the next use for that connection.
    let moving = tokio::spawn(async move { conn.transfer(wanted).await });
    Ok(Json(moving.await.map_err(Failure::of_task)??))
}

async fn no_such_path(uri: Uri) -> Failure {
    let detail = format!("there is nothing at {}", uri.path());
    Failure::new(StatusCode::NOT_FOUND, "request.path", detail)
}

async fn no_such_method(uri: Uri) -> Failure {
    let detail = format!(
        "{} does not take this method; `Allow` says which",
        uri.path()
    );
    Failure::new(StatusCode::METHOD_NOT_ALLOWED, "request.method", detail)
}

fn with_etag(product: Product) -> impl IntoResponse {
    ([(ETAG, product.etag())], Json(product))
}
