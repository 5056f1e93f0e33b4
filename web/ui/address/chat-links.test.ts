import { describe, expect, test } from 'bun:test';
import { SETTINGS } from '#contract/settings.ts';
import { chatLinks, fillChatLink } from './chat-links.ts';

const destination = { key: 'abc123', address: 'https://gate.example.com/' };

function fill(template: string): string {
  return fillChatLink(template, destination) ?? '';
}

describe('chat links', () => {
  test('the configured entries keep their order', () => {
    const chats: Record<string, string>[] = [{ B: 'https://b' }, { A: 'https://a' }];
    expect(chatLinks({ chats, chat_link: '', chat_link2: '' })).toEqual([
      { name: 'B', template: 'https://b' },
      { name: 'A', template: 'https://a' },
    ]);
  });

  test('A5: ChatLink and ChatLink2 follow the entries of Chats, each address once', () => {
    const chats = [{ A: 'https://a/#k={key}' }];
    const links = chatLinks({ chats, chat_link: 'https://next.example/', chat_link2: 'https://a/#k={key}' });
    expect(links.map(({ name }) => name)).toEqual(['A', 'next.example']);
    expect(links[1]?.template).toContain('settings={"key":"{key}"');
  });

  test('two links of one host or of one name have names of their own (O62)', () => {
    const links = chatLinks({
      chats: [{ A: 'https://a/#1' }, { A: 'https://a/#2' }],
      chat_link: 'https://next.example/one',
      chat_link2: 'https://next.example/two',
    });
    expect(links.map(({ name }) => name)).toEqual(['A', 'A (2)', 'next.example', 'next.example (2)']);
  });

  test('the key goes with its prefix, the address encoded and without a trailing slash', () => {
    expect(fill('opencat://team/join?domain={address}&token={key}')).toBe(
      'opencat://team/join?domain=https%3A%2F%2Fgate.example.com&token=sk-abc123',
    );
  });

  test('a JSON template arrives at the other side as that JSON', () => {
    const url = fill('https://app.nextchat.dev/#/?settings={"key":"{key}","url":"{address}"}');
    expect(url).not.toMatch(/["{}]/);
    const settings = new URLSearchParams(url.split('?')[1]).get('settings');
    expect(JSON.parse(settings ?? '')).toEqual({ key: 'sk-abc123', url: 'https://gate.example.com' });
  });

  test('a nested JSON template with a path behind the address keeps both', () => {
    const url = fill(
      'https://x.example/#/?settings={"keyVaults":{"openai":{"apiKey":"{key}","baseURL":"{address}/v1"}}}',
    );
    const settings = JSON.parse(new URLSearchParams(url.split('?')[1]).get('settings') ?? '');
    expect(settings.keyVaults.openai).toEqual({
      apiKey: 'sk-abc123',
      baseURL: 'https://gate.example.com/v1',
    });
  });

  test('configuration placeholders are base64 JSON', () => {
    const url = fill('cherrystudio://providers/api-keys?v=1&data={cherryConfig}');
    const data = new URLSearchParams(url.split('?')[1]).get('data') ?? '';
    expect(JSON.parse(atob(data))).toEqual({
      id: 'new-api',
      baseUrl: 'https://gate.example.com',
      apiKey: 'sk-abc123',
    });
  });

  test('ccswitch becomes its import link', () => {
    const query = new URLSearchParams(fill('ccswitch').split('?')[1]);
    expect(query.get('endpoint')).toBe('https://gate.example.com/v1');
    expect(query.get('apiKey')).toBe('sk-abc123');
  });

  test.each([
    'javascript:alert(1)',
    ' JavaScript:alert({key})',
    'data:text/html,{key}',
    'no scheme {key}',
    'https://a.example/?key={key}',
    '',
  ])('%p is not opened', (template) => {
    expect(fillChatLink(template, destination)).toBeUndefined();
  });

  test('every link the product ships with can be opened', () => {
    for (const { template } of chatLinks({ chats: SETTINGS.Chats.fallback, chat_link: '', chat_link2: '' })) {
      expect(fill(template)).toMatch(/^[a-z]+:/);
    }
  });
});
