//! The version that an edit is guarded by: in the header, or else in the body.

use axum::http::{HeaderMap, StatusCode};
use diesel_async::AsyncConnection;
use diesel_versioned::AsyncExecutes;
use diesel_versioned::async_prelude::*;
use diesel_versioned::http::{Expected, IfMatch, PreconditionError, Problem};

use crate::catalogue::Product;
use crate::failure::Failure;

/// Gives an edited product the version that its client has read. What is returned is there if that
/// came in the header: what fails is then the precondition of the request.
pub(crate) async fn expect<C: AsyncConnection + AsyncExecutes<Product>>(
    conn: &mut C,
    product: &mut Product,
    headers: &HeaderMap,
    in_body: Option<i32>,
) -> Result<Option<Expected>, Failure> {
    let Some(if_match) = IfMatch::from_headers(headers)? else {
        product.version = in_body.ok_or_else(missing)?;
        return Ok(None);
    };
    let expected = match product.expect(&if_match) {
        // Which one of several it is, the row tells.
        Err(PreconditionError::NotOneVersion { .. }) => {
            let found = Product::find(conn, product.id).await?;
            let expected = found.expect_loaded(&if_match)?;
            product.version = found.version;
            expected
        }
        expected => expected?,
    };
    match in_body {
        Some(body) if body != product.version => Err(contradiction(product, body).into()),
        _ => Ok(Some(expected)),
    }
}

fn missing() -> Problem {
    Problem::from(PreconditionError::Required).with_detail(
        "say which version was read: in If-Match, by the ETag that came with it, \
         or as `version` in the body",
    )
}

fn contradiction(product: &Product, body: i32) -> Problem {
    let header = product.etag();
    Problem::new(StatusCode::BAD_REQUEST, "request.contradiction").with_detail(format!(
        "If-Match stands for {header}, the body for version {body}; give one of them"
    ))
}
