import { describe, expect, test } from 'bun:test';
import { KEYWORDS } from './palette/keywords.ts';
import { isCurrent, visibleItems, type NavigationContext, type NavigationItem } from './navigation.ts';

const allOn = {
  enable_data_export: true,
  enable_drawing: true,
  enable_task: true,
  public_docs: true,
  public_models: true,
  public_status: true,
  organizations: false,
  chats: [{ Demo: 'https://chat.example.com/#{key}' }],
  chat_link: '',
};
const context = (role: number | undefined, status: Partial<typeof allOn> = {}): NavigationContext => ({
  user: role === undefined ? undefined : { role },
  status: { ...allOn, ...status },
});
const every = () => true;
const names = (given: NavigationContext, isRoute: (path: string) => boolean = every) =>
  visibleItems(given, isRoute).map((item) => item.name);

describe('which menu entries appear', () => {
  test('REL-2.150 REL-2.151 REL-2.152 channel, redemption and user are for admins only', () => {
    for (const name of ['channel', 'redemption', 'user'] as const) {
      expect(names(context(1))).not.toContain(name);
      expect(names(context(10))).toContain(name);
      expect(names(context(100))).toContain(name);
    }
  });

  test('REL-2.153 REL-2.154 REL-2.155 dashboard, drawing and tasks follow their flags', () => {
    expect(names(context(1))).toEqual(expect.arrayContaining(['dashboard', 'drawing', 'task']));
    expect(names(context(1, { enable_data_export: false }))).not.toContain('dashboard');
    expect(names(context(1, { enable_drawing: false }))).not.toContain('drawing');
    expect(names(context(1, { enable_task: false }))).not.toContain('task');
  });

  test('REL-2.156 chat is built from the configured links', () => {
    expect(names(context(1))).toContain('chat');
    expect(names(context(1, { chats: [] }))).not.toContain('chat');
    expect(names(context(1, { chats: [], chat_link: 'https://chat.example.com' }))).toContain('chat');
  });

  test('REL-1.14 the resellers page is for agents and administrators', () => {
    expect(names(context(1))).not.toContain('agent');
    expect(names({ ...context(1), isAgent: true })).toContain('agent');
    expect(names(context(10))).toContain('agent');
    expect(names({ ...context(undefined), isAgent: true })).not.toContain('agent');
  });

  test('N11: the palette finds the prices by the word', () => {
    const found = visibleItems(context(undefined), every).filter(({ name }) =>
      KEYWORDS[name].includes('price'),
    );
    expect(found.map(({ path }) => path)).toEqual(['/pricing']);
  });

  test('a visitor sees only public pages', () => {
    const all: NavigationItem['name'][] = ['home', 'models', 'pricing', 'plans', 'status', 'docs', 'about'];
    expect(names(context(undefined))).toEqual(all);
    // A user has them in the menu of the console.
    expect(names(context(1))).not.toContain('plans');
    for (const [flag, name] of [
      ['public_docs', 'docs'],
      ['public_models', 'models'],
      ['public_status', 'status'],
    ] as const)
      expect(names(context(undefined, { [flag]: false }))).toEqual(all.filter((each) => each !== name));
    expect(names(context(1, { public_docs: false }))).toContain('docs');
  });

  test('an entry without a page is absent', () => {
    expect(names(context(100), (path) => path === '/token' || path === '/')).toEqual(['home', 'token']);
  });

  test('before the status is known, flag-gated entries are absent', () => {
    expect(names({ user: { role: 1 }, status: undefined })).not.toContain('dashboard');
  });

  test('a deeper path keeps its entry current, a similar one does not', () => {
    expect(isCurrent({ path: '/channel' }, '/channel/edit/7')).toBe(true);
    expect(isCurrent({ path: '/user' }, '/users')).toBe(false);
    expect(isCurrent({ path: '/' }, '/token')).toBe(false);
  });
});
