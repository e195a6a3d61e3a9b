from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import get_args

import pytest
from server_material import ORDERS, ended, processes_with

from pytest_comem.errors import InfrastructureError
from pytest_comem.servers import cluster
from pytest_comem.servers.base import MOST_ROWS, Database, DatabaseKind, Databases, QueryError
from pytest_comem.servers.databases import ProcessDatabases
from pytest_comem.servers.opening import open_databases
from pytest_comem.servers.postgresql import PostgresqlDatabase

KINDS = get_args(DatabaseKind)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, chosen: str) -> DatabaseKind:
    """A kind of database that can be had here."""
    if request.param == "postgresql" and (why := cluster.lacking(chosen)):
        pytest.skip("; ".join(why))
    found: DatabaseKind = request.param
    return found


def change(database: Database, sql: str) -> None:
    """Change a database as its server would."""
    if isinstance(database, PostgresqlDatabase):
        with database.cluster.connect(
            database.database, database.database, database.password
        ) as connection:
            connection.execute(sql.encode())
    else:
        import sqlite3

        assert database.path is not None
        with sqlite3.connect(database.path) as file:
            file.execute(sql)
        file.close()


def test_a_clone_holds_what_the_script_makes(databases: Databases, kind: DatabaseKind) -> None:
    """Rows come as plain values, numbers as numbers, and parameters are not part of the text."""
    database = databases.clone("orders", ORDERS, kind)
    assert database.kind == kind
    assert database.query("SELECT id, customer, total FROM orders ORDER BY id") == [
        (1, "Ada; Ltd", 12.5),
        (2, "Bo", 3),
        (3, "Cy", None),
    ]
    found = database.query("SELECT id FROM orders WHERE customer = $1 AND id < $2", ["Ada; Ltd", 9])
    assert found == [(1,)]
    assert database.query("SELECT id FROM orders WHERE customer = $1", ["' OR ''='"]) == []


def test_clones_share_nothing(databases: Databases, kind: DatabaseKind) -> None:
    """What changes in one is neither in the other nor in a later clone of the same script."""
    one, two = (databases.clone(name, ORDERS, kind) for name in ("one", "two"))
    change(one, "UPDATE orders SET total = 99")
    change(one, "INSERT INTO orders VALUES (4, 'new', 100)")
    three = databases.clone("three", ORDERS, kind)
    assert one.query("SELECT count(*), min(total) FROM orders") == [(4, 99)]
    for other in (two, three):
        assert other.query("SELECT count(*), min(total) FROM orders") == [(3, 3)]


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM orders",
        "UPDATE orders SET total = 0 RETURNING id",
        "WITH gone AS (DELETE FROM orders RETURNING id) SELECT * FROM gone",
        "SELECT 1; DROP TABLE orders",
        "DROP TABLE orders",
        "SELECT * FROM nothing",
        "SELECT absent FROM orders",
        "",
        "SELECT $1",
        "SELECT '\0'",
    ],
)
def test_a_query_changes_nothing(databases: Databases, kind: DatabaseKind, sql: str) -> None:
    """Whatever does not suit is an error of the query, and every row is still there."""
    database = databases.clone("orders", ORDERS, kind)
    with pytest.raises(QueryError):
        database.query(sql)
    assert database.query("SELECT count(*) FROM orders") == [(3,)]
    database.alive()


def test_a_query_cannot_give_itself_the_right_to_write(postgresql: Databases) -> None:
    """What the workflow has put into a view or a function is called, and may not change rows."""
    database = postgresql.clone("orders", ORDERS, "postgresql")
    change(
        database,
        "CREATE FUNCTION wipe() RETURNS int LANGUAGE plpgsql AS $$ BEGIN "
        "SET TRANSACTION READ WRITE; DELETE FROM orders; RETURN 1; END $$",
    )
    with pytest.raises(QueryError):
        database.query("SELECT wipe()")
    assert database.query("SELECT count(*) FROM orders") == [(3,)]


def test_too_many_rows_are_refused(databases: Databases, kind: DatabaseKind) -> None:
    """A query returns so many rows and no more."""
    database = databases.clone("orders", ORDERS, kind)
    many = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) "
        "SELECT i FROM n"
    )
    assert len(database.query(many, [MOST_ROWS])) == MOST_ROWS
    with pytest.raises(QueryError, match="rows"):
        database.query(many, [MOST_ROWS + 1])


def test_a_script_that_fails_leaves_no_template(databases: Databases, kind: DatabaseKind) -> None:
    """It fails again, and other scripts do not."""
    for _ in range(2):
        with pytest.raises(QueryError, match="script"):
            databases.clone("bad", "CREATE TABLE t (i INTEGER); INSERT INTO u VALUES (1)", kind)
    assert databases.clone("good", ORDERS, kind).query("SELECT count(*) FROM orders") == [(3,)]


@pytest.mark.parametrize(
    ("kind", "script"),
    [
        ("sqlite", "ATTACH DATABASE '{place}' AS other; CREATE TABLE other.t (i INTEGER)"),
        ("postgresql", "COPY (SELECT 1) TO PROGRAM 'touch {place}'"),
        ("postgresql", "COPY (SELECT 1) TO '{place}'"),
        ("postgresql", "CREATE ROLE another SUPERUSER"),
        ("postgresql", "CREATE DATABASE another"),
    ],
)
def test_a_script_reaches_nothing_else(
    databases: Databases, chosen: str, tmp_path: Path, kind: DatabaseKind, script: str
) -> None:
    """It is run by a role without rights: no other file, program, role or database."""
    if kind == "postgresql" and (why := cluster.lacking(chosen)):
        pytest.skip("; ".join(why))
    place = tmp_path / "made"
    with pytest.raises(QueryError):
        databases.clone("hostile", script.format(place=place), kind)
    assert not place.exists()


def test_a_role_may_connect_to_its_own_database_alone(postgresql: Databases) -> None:
    """Neither another workflow's, nor a template, nor the cluster's own, nor with no password."""
    import psycopg

    one, two = (postgresql.clone(name, ORDERS, "postgresql") for name in ("one", "two"))
    assert isinstance(one, PostgresqlDatabase)
    assert isinstance(two, PostgresqlDatabase)
    (template,) = one.query(
        "SELECT datname FROM pg_database WHERE datname LIKE 'template\\__%' "
        "AND datname NOT IN ('template0', 'template1') LIMIT 1"
    )
    for database in (two.database, "postgres", "template1", str(template[0])):
        with pytest.raises(psycopg.OperationalError, match="denied"):
            one.cluster.connect(database, one.database, one.password)
    with pytest.raises(psycopg.OperationalError, match="password"):
        one.cluster.connect(two.database, two.database, one.password)


def test_a_role_sees_no_query_of_another(postgresql: Databases) -> None:
    """The cluster's catalogues tell names that mean nothing, and no text."""
    one, two = (postgresql.clone(name, ORDERS, "postgresql") for name in ("one", "secret name"))
    two.query("SELECT 'secret text'")
    seen = one.query("SELECT datname, usename, query FROM pg_stat_activity")
    names = one.query("SELECT datname FROM pg_database")
    assert "secret" not in f"{seen} {names}"


def test_a_dropped_database_is_gone(databases: Databases, kind: DatabaseKind) -> None:
    """It says so as a fault of the infrastructure, and dropping it again does nothing."""
    database, other = (databases.clone(name, ORDERS, kind) for name in ("orders", "other"))
    database.query("SELECT 1")
    database.drop()
    database.drop()
    for use in (database.alive, lambda: database.query("SELECT 1")):
        with pytest.raises(InfrastructureError, match="orders") as caught:
            use()
        assert caught.value.type == "database"
    other.alive()


def test_connections_that_were_ended_are_made_again(postgresql: Databases) -> None:
    """A workflow may end its own connections; its database is there all the same."""
    database = postgresql.clone("orders", ORDERS, "postgresql")
    for use in (database.alive, lambda: database.query("SELECT 1")):
        database.query("SELECT 1")
        change(
            database,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE usename = current_user AND pid <> pg_backend_pid()",
        )
        use()


def test_a_cluster_that_dies_takes_its_databases_and_no_later_ones(
    chosen: str, tmp_path: Path
) -> None:
    """Those on it fail as infrastructure; the next clone gets a new cluster."""
    if why := cluster.lacking(chosen):
        pytest.skip("; ".join(why))
    with ProcessDatabases(tmp_path / "here", "auto") as databases:
        database = databases.clone("one", ORDERS)
        assert isinstance(database, PostgresqlDatabase)
        ended(database.cluster._service)
        for use in (database.alive, lambda: database.query("SELECT 1")):
            with pytest.raises(InfrastructureError, match="killed") as caught:
                use()
            assert caught.value.type == "database"
        later = databases.clone("two", ORDERS)
        assert later.query("SELECT count(*) FROM orders") == [(3,)]
        later.drop()
        database.drop()


def test_a_crash_of_one_process_ends_the_cluster(chosen: str, tmp_path: Path) -> None:
    """Another workflow's statement may have been ended with it, and nobody else could tell."""
    if why := cluster.lacking(chosen):
        pytest.skip("; ".join(why))
    import psycopg

    with open_databases(tmp_path / "here") as databases:
        one, two = (databases.clone(name, ORDERS, "postgresql") for name in ("one", "two"))
        assert isinstance(one, PostgresqlDatabase)
        for database in (one, two):
            database.query("SELECT 1")
        ((inside,),) = one.query("SELECT pg_backend_pid()")
        # From within, where that number is its process; the connection may end before it answers.
        with suppress(psycopg.Error):
            one.cluster.run(f"COPY (SELECT 1) TO PROGRAM 'kill -KILL {inside}'")
        for database in (one, two):
            with pytest.raises(InfrastructureError) as caught:
                database.query("SELECT count(*) FROM orders")
            assert caught.value.type == "database"
        three = databases.clone("three", ORDERS, "postgresql")
        assert three.query("SELECT count(*) FROM orders") == [(3,)]


def test_closing_leaves_nothing(chosen: str, tmp_path: Path) -> None:
    """No directory, no socket, no process."""
    place = tmp_path / "here"
    with open_databases(place) as databases:
        for _ in range(3):
            databases.clone("orders", ORDERS)
        databases.clone("orders", ORDERS, "sqlite")
        if databases.kind == "postgresql":
            assert processes_with(str(place))
    assert not place.exists()
    assert processes_with(str(place)) == []


def test_what_a_server_puts_in_the_place_of_a_file_is_not_followed(
    databases: Databases, tmp_path: Path
) -> None:
    """A link to another database is no way to read it, and a broken file is no fault of ours."""
    import sqlite3

    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as file:
        file.execute("CREATE TABLE secrets (text TEXT)")
    file.close()
    database = databases.clone("orders", ORDERS, "sqlite")
    assert database.path is not None
    for content in (b"", b"no database", b"SQLite format 3\0" + b"\xff" * 5_000):
        database.path.write_bytes(content)
        with pytest.raises(QueryError):
            database.query("SELECT * FROM secrets")
    database.path.unlink()
    database.path.symlink_to(other)
    with pytest.raises(QueryError, match="link"):
        database.query("SELECT * FROM secrets")
    database.path.unlink()
    with pytest.raises(InfrastructureError, match="gone"):
        database.query("SELECT * FROM secrets")
