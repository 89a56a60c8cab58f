//! What a connection counts that was not made by diesel-async.

use diesel_versioned::async_prelude::*;
use mysql_async::{Opts, OptsBuilder};

use crate::Inner;
use crate::flavor::block_on;
use crate::support::TestDb;
use crate::support::entities::Product;

#[test]
fn a_connection_that_counts_changed_rows_is_found() {
    let db = TestDb::new();
    for (found_rows, expected) in [
        (true, &["schema.default_missing"][..]),
        (false, &["schema.default_missing", "schema.found_rows"]),
    ] {
        let opts = Opts::from_url(db.url()).unwrap();
        let opts = OptsBuilder::from_opts(opts).client_found_rows(found_rows);
        let report = block_on(async {
            let conn = mysql_async::Conn::new(opts).await.unwrap();
            let mut conn = Inner::try_from(conn).await.unwrap();
            // Twice: nothing stays behind that the second one would meet.
            Product::check_schema(&mut conn).await.unwrap();
            Product::check_schema(&mut conn).await.unwrap()
        });
        let codes: Vec<_> = report.iter().map(|finding| finding.code()).collect();
        assert_eq!(codes, expected, "{report}");
    }
}
