// Column types shared by all tables.
import type { Generated } from 'kysely';

/** 0 or 1: SQLite has no boolean, and both dialects share one query text. */
export type Flag = 0 | 1;

/** A column the database fills when an insert leaves it out. */
export type Default<T> = Generated<T>;
