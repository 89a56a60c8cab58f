DROP TABLE import_journal;
DROP TABLE imports;
DROP TABLE products;
