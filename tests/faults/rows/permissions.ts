import { plan, type Section } from '#tests/faults/plan.ts';

export const permissions: Section = {
  title: 'Permissions and content',
  faults: [
    plan(
      'S1',
      'every route called by nobody, user, administrator, root and another owner',
      'as the policy lists; an unknown route is 404',
    ),
    plan('S2', 'ids of one user used by another', '404'),
    plan('S3', 'role, quota, group, id and status added to each body', 'ignored or refused'),
    plan('S4', 'administrators act on equals and superiors, promote, demote root', 'refused'),
    plan('S5', 'a user chooses the channel by suffix, header, query or playground', 'refused'),
    plan('S6', 'the user id header differs from the session', '401'),
    plan('S7', 'SQL in every parameter', 'values are bound, never text of a statement'),
    plan(
      'S8',
      'internal addresses in every notation, redirects and DNS answers that change, wherever an address is accepted',
      'no connection is made',
    ),
    plan(
      'S9',
      'the address of a channel is changed and its key is kept',
      'a second confirmation or the key is needed',
    ),
    plan('S10', 'routing fields and headers from the caller', 'removed; only allowed headers are forwarded'),
    plan('S11', 'scripts stored in every text that the console shows', 'none runs'),
    plan('S12', 'scripts in Markdown from a model', 'none runs'),
    plan('S13', 'redirects to foreign addresses', 'only allowed addresses'),
    plan('S14', 'paths that leave the folder of static files', '404'),
    plan('S15', 'line breaks, ANSI codes and NUL in logged text', 'one line of JSON'),
    plan('S16', 'formulas in exported files', 'quoted'),
    plan(
      'S17',
      'marked secrets through random failing requests',
      'in no log, answer, trace, metric or listing',
    ),
    plan('S18', 'marked prompts while logging is off', 'in no log, error or dump'),
    plan(
      'S19',
      'the time of key lookup, signatures and codes is measured',
      'comparison takes constant time or uses a keyed hash',
    ),
    plan('S20', 'tokens with an equal beginning', 'no token is taken for another'),
    plan('S21', 'unknown options, wrong types, huge values, prototype keys', 'refused by list and schema'),
    plan(
      'S22',
      'security and CORS headers of console and relay',
      'the console has CSP; the relay allows every origin without credentials',
    ),
    plan(
      'S23',
      'known vulnerabilities in dependencies',
      'none of high severity; versions are locked by hash; no install scripts',
      'the list of known faults is outside of the machine; hashes and install scripts are tested in dependencies.test.ts',
    ),
    plan('S24', '1,000 registrations from one address and with alias mail', 'limits and the alias rule hold'),
    plan('S25', 'a masked secret is saved back', 'the stored secret is kept'),
    plan('S26', 'missing configuration: no master key, no secret, no shared memory', 'refused, not skipped'),
  ],
};
