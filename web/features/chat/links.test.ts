import { expect, test } from 'bun:test';
import { webHost } from '#web/ui/address/chat-links.ts';
import { configuredLinks, redirectLink } from './links.ts';

const storage = (values: Record<string, string>) => ({ getItem: (key: string) => values[key] ?? null });
const nothing = storage({});

test('the status takes precedence over the stored links', () => {
  const status = { chats: [{ A: 'https://a.example/#{key}' }], chat_link: '', chat_link2: '' };
  expect(configuredLinks(status, storage({ chats: 'nonsense' }))).toEqual([
    { name: 'A', template: 'https://a.example/#{key}' },
  ]);
  expect(configuredLinks(undefined, storage({ chats: '[{"B":"app://{key}"}]' }))).toEqual([
    { name: 'B', template: 'app://{key}' },
  ]);
});

test('unreadable text is reported, a missing one is an empty list', () => {
  for (const chats of ['nonsense', '{"a":1}', '[1]', '[{"a":1}]'])
    expect(configuredLinks(undefined, storage({ chats }))).toBeUndefined();
  expect(configuredLinks({ chats: 'x', chat_link: '', chat_link2: '' }, nothing)).toBeUndefined();
  expect(configuredLinks(undefined, nothing)).toEqual([]);
});

test('the older addresses become links', () => {
  const status = {
    chats: [],
    chat_link: 'https://next.example/',
    chat_link2: 'https://two.example/#k={key}',
  };
  expect(configuredLinks(status, nothing)).toEqual([
    { name: 'next.example', template: 'https://next.example/#/?settings={"key":"{key}","url":"{address}"}' },
    { name: 'two.example', template: 'https://two.example/#k={key}' },
  ]);
  expect(redirectLink(status, [], nothing)?.name).toBe('two.example');
});

test('the redirect prefers a web page', () => {
  const links = [
    { name: 'app', template: 'app://{key}' },
    { name: 'web', template: 'https://web.example/#{key}' },
  ];
  expect(redirectLink(undefined, links, nothing)?.name).toBe('web');
  expect(redirectLink(undefined, [], nothing)).toBeUndefined();
});

test('only web pages have a host', () => {
  expect(webHost('https://a.example:8443/x')).toBe('a.example:8443');
  expect(webHost('opencat://team')).toBeUndefined();
});
