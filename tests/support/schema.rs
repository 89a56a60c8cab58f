//! The tables of the tests, the same on every backend; see the `schema_*.sql` beside it.

diesel::table! {
    products (id) {
        id -> Integer,
        name -> Text,
        price_cents -> BigInt,
        stock -> Integer,
        version -> Integer,
    }
}

diesel::table! {
    /// The database makes the key.
    orders (id) {
        id -> Integer,
        customer -> Text,
        total_cents -> BigInt,
        version -> Integer,
    }
}

diesel::table! {
    /// The database makes the key; a child of `orders` and `products`.
    order_lines (id) {
        id -> Integer,
        order_id -> Integer,
        product_id -> Integer,
        quantity -> Integer,
        version -> Integer,
    }
}

diesel::table! {
    /// A composite key, a wide version.
    stock_levels (warehouse, sku) {
        warehouse -> Integer,
        sku -> Varchar,
        quantity -> Integer,
        version -> BigInt,
    }
}

diesel::table! {
    /// A unique column, a nullable one, a narrow version.
    accounts (id) {
        id -> BigInt,
        email -> Varchar,
        nickname -> Nullable<Text>,
        balance -> BigInt,
        version -> SmallInt,
    }
}

diesel::table! {
    /// Reserved words as columns, a version under another name.
    documents (id) {
        id -> Integer,
        title -> Text,
        #[sql_name = "type"]
        type_ -> Text,
        #[sql_name = "order"]
        position -> Integer,
        body -> Nullable<Text>,
        lock_version -> Integer,
    }
}

diesel::table! {
    /// A tree; the database makes the key.
    nodes (id) {
        id -> Integer,
        parent_id -> Nullable<Integer>,
        label -> Text,
        version -> Integer,
    }
}

diesel::table! {
    /// `street` and `city` are an embedded part of the entity.
    customers (id) {
        id -> Integer,
        name -> Text,
        street -> Text,
        city -> Text,
        version -> Integer,
    }
}

diesel::joinable!(order_lines -> orders (order_id));
diesel::joinable!(order_lines -> products (product_id));
diesel::allow_tables_to_appear_in_same_query!(
    products,
    orders,
    order_lines,
    stock_levels,
    accounts,
    documents,
    nodes,
    customers,
);
