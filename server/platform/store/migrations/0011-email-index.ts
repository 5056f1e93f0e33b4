// Sign-in, sign-up and links by mail compare addresses without case.
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const emailIndex: Migration = {
  name: '0011-email-index',
  async up(db) {
    await sql`create index users_email_ignoring_case on users (lower(email))`.execute(db);
  },
};
