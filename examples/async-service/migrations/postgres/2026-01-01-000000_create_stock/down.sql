DROP TABLE transfers;
DROP TABLE products;
