import { plan, type Section } from '#tests/faults/plan.ts';

export const accounts: Section = {
  title: 'Accounts and sessions',
  faults: [
    plan(
      'A1',
      'passwords are guessed 1,000 times from one address, many addresses, on one account',
      'waits grow per account and address; the owner is not locked out for ever',
    ),
    plan('A2', '200 sign-ins at once', 'hashing is queued and limited with 429; calls are not affected'),
    plan(
      'A3',
      'sign-in, reset and registration are compared for known and unknown users',
      'same text; no usable difference in time',
    ),
    plan('A4', 'a session cookie is set before the sign-in', 'the sign-in makes a new session'),
    plan(
      'A5',
      'logout, ban, demotion and password change with live sessions and cached tokens',
      'invalid within 5 seconds on every node',
    ),
    plan(
      'A6',
      'cookies are read by scripts or sent over plain HTTP',
      'HttpOnly, SameSite, and Secure with `__Host-` on HTTPS',
    ),
    plan('A7', 'cross-site requests to each changing route', 'refused'),
    plan(
      'A8',
      'OAuth state missing, reused, of another session, sign-in exchanged with binding, providers exchanged',
      'refused; a state is used once and expires',
    ),
    plan('A9', 'a Telegram sign-in forged, old, with double fields, replayed', 'refused'),
    plan(
      'A10',
      'codes of mail, WeChat and reset are guessed and reused',
      'few tries; used once; only a keyed hash is stored',
    ),
    plan(
      'A11',
      'a reset link is asked for with a foreign Host header',
      'the link uses the configured address',
    ),
    plan('A12', 'one-time codes reused or guessed, recovery codes reused, a cloned passkey', 'refused'),
    plan('A13', 'each sensitive route without the second confirmation', '403'),
    plan('A14', 'the administrator’s default password on a fresh installation', 'random, and to be changed'),
    plan(
      'A15',
      'a human check’s token reused or missing',
      'refused; checked by the server with the caller’s address',
    ),
    plan(
      'A16',
      'an API key in every form: Bearer, x-api-key, x-goog-api-key, query, with and without `sk-`',
      'the same limits for all; keys in addresses are redacted',
    ),
    plan(
      'A17',
      'token status, expiry, model limits and allowed addresses (v4, v6, networks, mapped)',
      'enforced before money is held',
    ),
  ],
};
