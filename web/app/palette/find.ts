/** What the palette finds beside pages: things by their names, settings, documents, a call by its request id, and commands. */
import { isAdmin, isRoot } from '#contract/access.ts';
import type { SessionUser } from '#contract/admin/session.ts';
import { api, queryClient } from '#web/api.ts';
import { keyIn } from '#web/features/users/pasted-key.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { commandIn } from './command.ts';
import {
  findCodes,
  findModels,
  findOrders,
  findPlans,
  findSuppliers,
  findTargets,
  findTasks,
  findVirtualModels,
  type MoneyHit,
} from './find-money.ts';
import { callOfRequest, type CallHit } from './request-call.ts';

export const SHORTEST_QUERY = 2;
const MOST_OF_A_KIND = 5;

interface Named {
  label: string;
  description: string;
}

export type Hit =
  | (Named & { kind: 'channel' | 'user' | 'token'; id: number })
  | (Named & { kind: 'docs'; page: string; hash: string | undefined })
  | (Named & { kind: 'setting'; tab: 'operation' | 'system' | 'other'; section: string; option: string })
  | MoneyHit
  | CallHit;

async function findChannels(keyword: string, signal: AbortSignal): Promise<Hit[]> {
  const { data } = await api.channels.search({ query: { keyword, page_size: MOST_OF_A_KIND }, signal });
  return data.map(({ id, name, tag }) => ({
    kind: 'channel',
    id,
    label: name,
    description: [`#${id}`, tag].filter(Boolean).join(' · '),
  }));
}

async function findUsers(keyword: string, signal: AbortSignal): Promise<Hit[]> {
  const { items } = await api.userManagement.search({
    query: { keyword, page_size: MOST_OF_A_KIND },
    signal,
  });
  return items.map(({ id, username, display_name, email }) => ({
    kind: 'user',
    id,
    label: username,
    description: [`#${id}`, display_name === username ? '' : display_name, email].filter(Boolean).join(' · '),
  }));
}

async function findTokens(either: string, signal: AbortSignal): Promise<Hit[]> {
  const { data } = await api.tokens.search({ query: { either, size: MOST_OF_A_KIND }, signal });
  return data.map(({ id, name }) => ({ kind: 'token', id, label: name, description: `#${id}` }));
}

async function findSettings(query: string): Promise<Hit[]> {
  const [{ optionQueries }, { sectionsOf, SECTION_WORDS }, { findOptions }] = await Promise.all([
    import('#web/features/settings/queries.ts'),
    import('#web/features/settings/sections.ts'),
    import('#web/features/settings/find/find.ts'),
  ]);
  const fields = await queryClient.fetchQuery(optionQueries.registry());
  const items = sectionsOf(fields).flatMap(({ id, tab, fields: own }) =>
    own.map((field) => ({ field, id, tab, section: `${id} ${SECTION_WORDS[id] ?? ''}` })),
  );
  return findOptions(items, query, MOST_OF_A_KIND).map(({ field, id, tab }) => ({
    kind: 'setting',
    tab,
    section: id,
    option: field.key,
    label: field.label[currentLanguage()],
    description: field.key,
  }));
}

async function findDocuments(query: string): Promise<Hit[]> {
  const { findInDocuments } = await import('#web/features/docs/contents.ts');
  return findInDocuments(query, currentLanguage())
    .slice(0, MOST_OF_A_KIND)
    .map(({ page, hash, text, title }) => ({
      kind: 'docs',
      page,
      hash,
      label: text,
      description: title ?? '',
    }));
}

/** A kind whose search fails is left out; the others are shown. */
export async function find(
  text: string,
  user: Pick<SessionUser, 'role'> | undefined,
  signal: AbortSignal,
): Promise<Hit[]> {
  // The documents are public, everything else belongs to a user.
  if (!user) return await findDocuments(text);
  const call = callOfRequest(text);
  if (call) return [call];
  const admin = isAdmin(user.role);
  // The palette offers to find the key instead: these searches have the text in their addresses.
  if (admin && keyIn(text) !== undefined) return [];
  const command = admin ? commandIn(text) : undefined;
  const found = await Promise.allSettled([
    ...(command ? [findTargets(command, signal)] : []),
    ...(admin ? [findChannels(text, signal), findUsers(text, signal)] : []),
    findTokens(text, signal),
    findModels(text, admin ? 'model' : 'pricing'),
    ...(admin
      ? [
          findVirtualModels(text),
          findOrders(text, signal),
          findPlans(text),
          findCodes(text),
          findSuppliers(text),
        ]
      : []),
    findTasks(text, admin, signal),
    ...(isRoot(user.role) ? [findSettings(text)] : []),
    findDocuments(text),
  ]);
  return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
}
