// The protocol of SCIM: filters, patches, paging, versions, attributes, errors and bounds.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { filtered, namesIn, newUser, patch, scimClient, type ScimClient } from './scim-support.ts';
import { openSignOn, type SignOnScene } from './support.ts';

setDefaultTimeout(120_000);

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
let scene: SignOnScene;
let scim: ScimClient;
const ids: Record<string, string> = {};

beforeAll(async () => {
  scene = await openSignOn('sqlite');
  const acme = await scene.organization('acme.example');
  scim = scimClient(scene.app, await acme.token());
  const people = [
    newUser('ada@acme.example', {
      externalId: 'A1',
      name: { givenName: 'Ada', familyName: 'Byron' },
      title: 'Engineer',
      phoneNumbers: [{ value: '+1', type: 'work' }],
      [ENTERPRISE]: { department: 'Engines', manager: { value: '7' } },
    }),
    newUser('bob@acme.example', { externalId: 'b2', name: { familyName: 'Builder' }, title: 'Builder' }),
    newUser('cyd@acme.example', { active: false }),
  ];
  for (const body of people) {
    const made = await scim('POST', '/Users', { body });
    ids[String(made.body['userName']).split('@')[0] ?? ''] = String(made.body['id']);
  }
});
afterAll(() => scene.close());

const found = async (filter: string) =>
  namesIn(await scim('GET', `/Users?${filtered(filter)}`)).map((name) => String(name).split('@')[0]);

test.each<[string, string[]]>([
  ['userName eq "ADA@acme.example"', ['ada']],
  ['userName ne "ada@acme.example"', ['bob', 'cyd']],
  ['userName co "@ACME"', ['ada', 'bob', 'cyd']],
  ['userName sw "b"', ['bob']],
  ['emails.value ew "example"', ['ada', 'bob', 'cyd']],
  ['title pr', ['ada', 'bob']],
  ['not (title pr)', ['cyd']],
  ['externalId eq "a1"', []],
  ['externalId eq "A1"', ['ada']],
  ['active eq false', ['cyd']],
  ['active eq true and title co "build"', ['bob']],
  ['title eq "Engineer" or active eq false', ['ada', 'cyd']],
  ['title pr and not (name.familyName sw "by")', ['bob']],
  ['emails[type eq "work" and value sw "cyd"]', ['cyd']],
  ['emails[type eq "home"]', []],
  ['emails co "bob@"', ['bob']],
  ['USERNAME gt "b"', ['bob', 'cyd']],
  ['userName le "ada@acme.example"', ['ada']],
  [`${ENTERPRISE}:department eq "engines"`, ['ada']],
  [`${USER}:userName eq "bob@acme.example"`, ['bob']],
  ['meta.created gt "2020-01-01T00:00:00Z"', ['ada', 'bob', 'cyd']],
  ['meta.lastModified lt "2020-01-01T00:00:00Z"', []],
  ['userName eq "it is \\"quoted\\""', []],
  ['id eq "0"', []],
])('the filter %s finds %j', async (filter, names) => {
  expect(await found(filter)).toEqual(names);
});

test.each([
  ['userName'],
  ['userName eq'],
  ['userName eq "open'],
  ['nothing eq "x"'],
  ['active gt true'],
  ['(userName eq "x"'],
  ['userName eq "x" garbage'],
  ['name eq "x"'],
  ['userName[value eq "x"]'],
  ['__proto__ pr'],
  ['constructor.prototype pr'],
])('the filter %s is refused as one', async (filter) => {
  const { status, body } = await scim('GET', `/Users?${filtered(filter)}`);
  expect([status, body['scimType']]).toEqual([400, 'invalidFilter']);
});

test.each([
  ['long', `userName eq "${'x'.repeat(3000)}"`],
  ['deep', `${'('.repeat(500)}userName pr${')'.repeat(500)}`],
  ['of many terms', Array.from({ length: 150 }, () => 'a pr').join(' or ')],
  ['of many nots', `${'not '.repeat(400)}(userName pr)`],
  ['that makes a tokenizer backtrack', `userName eq "${'\n'.repeat(200)}`],
])('a filter %s is refused without being worked on', async (_, filter) => {
  const body = { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], filter };
  const reply = await scim('POST', '/Users/.search', { body });
  expect([reply.status, reply.body['scimType']]).toEqual([400, 'invalidFilter']);
});

test('pages are bounded, counted from 1, and a search is a list', async () => {
  const page = async (query: string) => (await scim('GET', `/Users?${query}`)).body;
  expect(await page('startIndex=2&count=1')).toMatchObject({
    totalResults: 3,
    startIndex: 2,
    itemsPerPage: 1,
  });
  expect(await page('startIndex=-5&count=0')).toMatchObject({
    totalResults: 3,
    startIndex: 1,
    itemsPerPage: 0,
  });
  expect(await page('count=100000&startIndex=3')).toMatchObject({ itemsPerPage: 1 });
  expect(await page('startIndex=99')).toMatchObject({ totalResults: 3, itemsPerPage: 0 });
  expect(await page(`${filtered('title pr')}&startIndex=2`)).toMatchObject({
    totalResults: 2,
    itemsPerPage: 1,
  });
  expect((await scim('GET', '/Users?count=x')).status).toBe(400);
  const search = await scim('POST', '/Users/.search', {
    body: { filter: 'title pr', count: 1, attributes: ['title'] },
  });
  expect(search.body).toMatchObject({ totalResults: 2, Resources: [{ title: 'Engineer' }] });
});

test('attributes and excludedAttributes choose what is answered; id and schemas stay', async () => {
  const ada = `/Users/${ids['ada']}`;
  const only = await scim('GET', `${ada}?attributes=name.givenName,${ENTERPRISE}:department`);
  expect(only.body).toEqual({
    schemas: [USER, ENTERPRISE],
    id: ids['ada'],
    name: { givenName: 'Ada' },
    [ENTERPRISE]: { department: 'Engines' },
  });
  const without = await scim('GET', `${ada}?excludedAttributes=emails,name.familyName,id,meta`);
  expect(without.body).toMatchObject({ id: ids['ada'], name: { givenName: 'Ada' } });
  for (const name of ['emails', 'meta']) expect(without.body[name]).toBeUndefined();
  expect(without.body['name']).toEqual({ givenName: 'Ada' });
});

test('a version that has passed is refused, one that is current is not sent again', async () => {
  const { body, headers } = await scim('POST', '/Users', { body: newUser('tag@acme.example') });
  const path = `/Users/${String(body['id'])}`;
  const tag = headers.get('etag') ?? '';
  expect((body['meta'] as { version: string }).version).toBe(tag);
  expect((await scim('GET', path, { headers: { 'If-None-Match': tag } })).status).toBe(304);
  const change = patch({ op: 'replace', path: 'title', value: 'One' });
  const done = await scim('PATCH', path, { body: change, headers: { 'If-Match': tag } });
  expect([done.status, done.headers.get('etag')]).toEqual([200, 'W/"2"']);
  const late = { body: patch({ op: 'replace', path: 'title', value: 'Two' }), headers: { 'If-Match': tag } };
  expect((await scim('PATCH', path, late)).status).toBe(412);
  expect(
    (await scim('PUT', path, { body: newUser('tag@acme.example'), headers: { 'If-Match': tag } })).status,
  ).toBe(412);
  expect((await scim('DELETE', path, { headers: { 'If-Match': tag } })).status).toBe(412);
  expect((await scim('GET', path, { headers: { 'If-None-Match': tag } })).status).toBe(200);
  // Nothing changed, no new version.
  expect((await scim('PATCH', path, { body: change })).headers.get('etag')).toBe('W/"2"');
  expect((await scim('DELETE', path, { headers: { 'If-Match': '*' } })).status).toBe(204);
});

test('patches add, replace and remove by path, filter and value', async () => {
  const { body } = await scim('POST', '/Users', { body: newUser('patch@acme.example', { title: 'T' }) });
  const path = `/Users/${String(body['id'])}`;
  const patched = async (...operations: object[]) =>
    (await scim('PATCH', path, { body: patch(...operations) })).body;
  const home = { value: 'home@acme.example', type: 'home' };
  expect(await patched({ op: 'add', path: 'emails', value: [home] })).toMatchObject({
    emails: [{ value: 'patch@acme.example', primary: true }, home],
  });
  const work = { op: 'replace', path: 'emails[type eq "home"].value', value: 'h2@acme.example' };
  expect(await patched(work)).toMatchObject({ emails: [{}, { value: 'h2@acme.example' }] });
  expect(await patched({ op: 'replace', path: 'emails[type eq "home"].primary', value: true })).toMatchObject(
    {
      emails: [{ primary: false }, { primary: true }],
    },
  );
  expect(
    await patched({ op: 'add', path: 'phoneNumbers[type eq "mobile"].value', value: '+2' }),
  ).toMatchObject({
    phoneNumbers: [{ type: 'mobile', value: '+2' }],
  });
  expect(
    await patched({
      op: 'Add',
      value: { 'name.familyName': 'F', [`${ENTERPRISE}:department`]: 'D', title: 'New' },
    }),
  ).toMatchObject({ name: { familyName: 'F' }, title: 'New', [ENTERPRISE]: { department: 'D' } });
  const removed = await patched(
    { op: 'remove', path: 'title' },
    { op: 'remove', path: 'name.familyName' },
    { op: 'remove', path: 'phoneNumbers[type eq "mobile"]' },
    { op: 'remove', path: `${ENTERPRISE}:department` },
  );
  for (const name of ['title', 'name', 'phoneNumbers', ENTERPRISE]) expect(removed[name]).toBeUndefined();
});

test.each<[string, object, string]>([
  ['of an unknown attribute', { op: 'replace', path: 'shoeSize', value: '9' }, 'invalidPath'],
  ['of a prototype', { op: 'add', path: '__proto__.polluted', value: 'x' }, 'invalidPath'],
  ['of what is read only', { op: 'replace', path: 'id', value: '9' }, 'mutability'],
  ['of the groups of a user', { op: 'add', path: 'groups', value: [{ value: '1' }] }, 'mutability'],
  ['without a target', { op: 'replace', path: 'emails[type eq "fax"].value', value: 'x' }, 'noTarget'],
  ['that removes nothing named', { op: 'remove' }, 'noTarget'],
  ['of another operation', { op: 'move', path: 'title' }, 'invalidSyntax'],
  ['with a value of another type', { op: 'replace', path: 'active', value: 'perhaps' }, 'invalidValue'],
  ['that removes the name', { op: 'remove', path: 'userName' }, 'invalidValue'],
  ['with a broken filter', { op: 'remove', path: 'emails[type eq]' }, 'invalidFilter'],
])('a patch %s is refused and changes nothing', async (_, operation, scimType) => {
  const path = `/Users/${ids['bob']}`;
  const before = await scim('GET', path);
  const { status, body } = await scim('PATCH', path, {
    body: patch({ op: 'add', path: 'title', value: 'x' }, operation),
  });
  expect([status, body['scimType']]).toEqual([400, scimType]);
  expect((await scim('GET', path)).body).toEqual(before.body);
});

test('errors have SCIM’s shape', async () => {
  const shape = { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '404' };
  const missing = await scim('GET', '/Users/999999');
  expect([missing.status, missing.body, missing.headers.get('content-type')]).toEqual([
    404,
    { ...shape, detail: 'There is no such user.' },
    'application/scim+json',
  ]);
  for (const path of ['/Users/x', '/Nothing', '/Users/1/2'])
    expect((await scim('GET', path)).status).toBe(404);
  expect((await scim('POST', '/Users', { body: '{"a":' })).body['scimType']).toBe('invalidSyntax');
  expect((await scim('DELETE', '/Users')).status).toBe(405);
  expect((await scim('GET', '/Me')).status).toBe(501);
  expect((await scim('POST', '/Bulk', { body: {} })).status).toBe(501);
  expect((await scim('POST', '/Users', { body: { userName: 'x' } })).body['scimType']).toBe('invalidValue');
  expect((await scim('POST', '/Users', { body: '"x"' })).status).toBe(400);
});

test('it says what it can do, and what its resources are', async () => {
  const config = (await scim('GET', '/ServiceProviderConfig')).body;
  expect(config).toMatchObject({
    patch: { supported: true },
    filter: { supported: true, maxResults: 200 },
    etag: { supported: true },
    sort: { supported: false },
    bulk: { supported: false },
  });
  expect((await scim('GET', '/ResourceTypes')).body['totalResults']).toBe(2);
  expect((await scim('GET', '/ResourceTypes/User')).body).toMatchObject({ endpoint: '/Users', schema: USER });
  expect((await scim('GET', `/Schemas/${ENTERPRISE}`)).body['name']).toBe('EnterpriseUser');
  expect((await scim('GET', '/Schemas?filter=x')).status).toBe(403);
});

test('guessed tokens are limited by address, calls of a token by organization', async () => {
  const limited = await openSignOn('sqlite', {
    limits: { guess: { most: 3, seconds: 600 }, token: { most: 4, seconds: 600 } },
  });
  try {
    const token = await (await limited.organization('limits.example')).token();
    const good = scimClient(limited.app, token);
    const statuses: number[] = [];
    for (let tries = 0; tries < 6; tries += 1) statuses.push((await good('GET', '/Users')).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    const guesses: number[] = [];
    for (let tries = 0; tries < 5; tries += 1)
      guesses.push((await scimClient(limited.app, `scim-guess${tries}`)('GET', '/Users')).status);
    expect(guesses).toEqual([401, 401, 401, 429, 429]);
  } finally {
    await limited.close();
  }
});
