//! `belongs_to` as the order of writes.

use std::any::TypeId;

use diesel::prelude::*;
use diesel_versioned::Versioned;

diesel::table! {
    orders (id) {
        id -> Integer,
        version -> Integer,
    }
}

diesel::table! {
    articles (id) {
        id -> Integer,
        version -> Integer,
    }
}

diesel::table! {
    positions (id) {
        id -> Integer,
        order_id -> Integer,
        sku -> Integer,
        version -> Integer,
    }
}

#[derive(Clone, Queryable, Identifiable, Versioned)]
#[diesel(table_name = orders)]
struct Order {
    id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Queryable, Identifiable, Versioned)]
#[diesel(table_name = articles)]
struct Article {
    id: i32,
    #[version]
    version: i32,
}

#[derive(Identifiable)]
#[diesel(table_name = articles)]
struct ArticleRef<'a> {
    id: &'a i32,
}

#[derive(Clone, Queryable, Identifiable, Associations, Versioned)]
#[diesel(table_name = positions, belongs_to(Order))]
#[diesel(belongs_to(Article, foreign_key = sku), belongs_to(ArticleRef<'_>, foreign_key = sku))]
struct Position {
    id: i32,
    order_id: i32,
    sku: i32,
    #[version]
    version: i32,
}

#[test]
fn parents_are_the_entities_that_belongs_to_names() {
    assert_eq!(
        Position::parents(),
        [TypeId::of::<Order>(), TypeId::of::<Article>()]
    );
    assert_eq!(Order::parents(), []);
    let order = Order { id: 1, version: 1 };
    let article = Article { id: 2, version: 1 };
    let position = Position {
        id: 3,
        order_id: order.key(),
        sku: article.key(),
        version: 1,
    };
    assert_eq!(position.key(), 3);
    assert_eq!(ArticleRef { id: &2 }.id, &2);
}
