// Every endpoint of the API, by noun.
import { session } from './session.ts';
import { site } from './site.ts';
import { tokens } from './tokens.ts';
import { users } from './users.ts';

export const api = { site, session, users, tokens };
export type TollgateApi = typeof api;
