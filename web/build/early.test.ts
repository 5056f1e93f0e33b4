// What the build reads from the files of routes.
import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { routePages } from './early.ts';

const WEB = fileURLToPath(new URL('..', import.meta.url));
const pages = readdirSync(`${WEB}app`)
  .filter((name) => name.endsWith('routes.tsx'))
  .flatMap((name) => routePages(readFileSync(`${WEB}app/${name}`, 'utf8')));

test('each page of a route is a file with its words', () => {
  expect(pages.length).toBeGreaterThan(25);
  expect(pages.filter(({ module }) => !existsSync(WEB + module))).toEqual([]);
  expect(pages.find(({ place }) => place === '/overview')).toEqual({
    place: '/overview',
    module: 'app/overview-page.tsx',
    namespaces: ['overview'],
  });
  expect(pages.find(({ place }) => place === '/channel')?.namespaces).toEqual(['channels', 'thing', 'audit']);
});

test('a route below another, or without a page of its own, is left out', () => {
  const source = `createRoute({ path: '$id', loader: () => loadMessages('thing') });
    createRoute({ path: '/chat/$id', component: lazy(() => import('#web/features/chat/page.tsx')) });`;
  expect(routePages(source)).toEqual([]);
});
