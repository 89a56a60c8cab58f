//! Named fields, tuple structs, reserved names, inferred tables.

use diesel_versioned::version::Moment;
use diesel_versioned::{Column, Role, Versioned};

use crate::{DATA, KEY, columns, names};

diesel::table! {
    products (id) {
        id -> Integer,
        name -> Text,
        price_cents -> BigInt,
        #[sql_name = "type"]
        type_ -> Text,
        version -> Integer,
    }
}

#[derive(Clone, Versioned)]
struct Product {
    id: i32,
    name: String,
    #[version]
    version: i32,
    price_cents: i64,
    #[diesel(column_name = type_)]
    r#type: String,
}

fn product() -> Product {
    Product {
        id: 1,
        name: "plum".to_owned(),
        version: 7,
        price_cents: 120,
        r#type: "fruit".to_owned(),
    }
}

#[test]
fn columns_are_those_of_the_fields_in_their_order() {
    assert_eq!(
        columns::<Product>(),
        [
            Column::new("id", KEY),
            Column::new("name", DATA),
            Column::new("version", Role::Version),
            Column::new("price_cents", DATA),
            Column::new("type", DATA),
        ]
    );
    assert_eq!(Product::TABLE, "products");
    assert_eq!(Product::COLUMN_COUNT, 5);
    assert_eq!(Product::VERSION_COLUMNS.iter().collect::<Vec<_>>(), [2]);
    assert_eq!((Product::KEY_COUNT, Product::key_column(0)), (1, 0));
    let products::table = Product::table();
}

#[test]
fn an_insert_writes_everything_and_an_update_neither_key_nor_version() {
    assert_eq!(
        names::<Product>(Product::INSERTABLE),
        ["id", "name", "version", "price_cents", "type"]
    );
    assert_eq!(
        names::<Product>(Product::UPDATABLE),
        ["name", "price_cents", "type"]
    );
    const { assert!(!Product::READS_BACK_INSERT) };
}

#[test]
fn changed_compares_data_and_leaves_out_key_and_version() {
    let base = product();
    let mut mine = base.clone();
    assert!(mine.changed(&base).is_empty());
    mine.id = 2;
    mine.set_version(8);
    assert!(mine.changed(&base).is_empty());
    mine.name.push('s');
    mine.r#type.push('s');
    assert_eq!(names::<Product>(mine.changed(&base)), ["name", "type"]);
}

#[test]
fn key_and_version_are_those_of_the_row() {
    let mut product = product();
    assert_eq!((product.key(), product.version()), (1, 7));
    product.set_version(8);
    assert_eq!(product.version, 8);
    assert_eq!(Product::initial_version(&Moment::new()).ok(), Some(1));
}

diesel::table! {
    reserved (id) {
        id -> Integer,
        r#match -> Text,
        r#async -> SmallInt,
    }
}

#[derive(Clone, Versioned)]
#[diesel(table_name = reserved)]
struct Reserved {
    id: i32,
    r#match: String,
    #[version]
    #[diesel(column_name = "async")]
    revision: i16,
}

#[test]
fn keywords_are_column_names() {
    let row = Reserved {
        id: 1,
        r#match: String::new(),
        revision: 3,
    };
    let all: Vec<_> = columns::<Reserved>()
        .iter()
        .map(|column| column.name)
        .collect();
    assert_eq!(all, ["id", "match", "async"]);
    assert_eq!((row.key(), row.version()), (1, 3));
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct Tuple(
    #[diesel(column_name = name)] String,
    #[diesel(column_name = id)] i32,
    #[diesel(column_name = version)]
    #[version]
    i32,
);

#[test]
fn a_tuple_struct_names_its_columns() {
    let base = Tuple("plum".to_owned(), 1, 7);
    let mine = Tuple("pear".to_owned(), 1, 7);
    assert_eq!((mine.key(), mine.version()), (1, 7));
    assert_eq!(
        (Tuple::key_column(0), Tuple::VERSION_COLUMNS.iter().next()),
        (1, Some(2))
    );
    assert_eq!(names::<Tuple>(mine.changed(&base)), ["name"]);
}

mod schema {
    diesel::table! {
        sales.order_lines (id) {
            id -> Integer,
            version -> BigInt,
        }
    }
}
use schema::order_lines;

#[derive(Clone, Versioned)]
struct OrderLine {
    id: i32,
    #[version]
    version: i64,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = self::schema::order_lines)]
struct ByPath {
    id: i32,
    #[version]
    version: i64,
}

#[test]
fn a_table_is_inferred_or_a_path() {
    let order_lines::table = OrderLine::table();
    let order_lines::table = ByPath::table();
    assert_eq!(
        (OrderLine::TABLE, ByPath::TABLE),
        ("order_lines", "order_lines")
    );
    assert_eq!(OrderLine { id: 1, version: 2 }.key(), 1);
    assert_eq!(ByPath { id: 1, version: 2 }.key(), 1);
}
