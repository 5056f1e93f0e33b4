/** Conversations are stored in this browser only, by user. Without IndexedDB they last as long as the page. */
import type { Conversation } from './conversation.ts';

const NAME = 'tollgate-playground';
const TABLE = 'conversations';
const MOST_KEPT = 200;

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.addEventListener('upgradeneeded', () => {
      request.result.createObjectStore(TABLE, { keyPath: 'id' }).createIndex('user', 'userId');
    });
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(new Error('the conversations cannot be opened')));
  });
}

let database: Promise<IDBDatabase> | undefined;

async function run<Result>(
  mode: IDBTransactionMode,
  ask: (table: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  database ??= openDatabase();
  const table = (await database).transaction(TABLE, mode).objectStore(TABLE);
  return await new Promise((resolve, reject) => {
    const request = ask(table);
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(new Error('the conversations cannot be read')));
  });
}

/** Newest first. */
export async function readConversations(userId: number): Promise<Conversation[]> {
  try {
    const all = await run<Conversation[]>('readonly', (table) => table.index('user').getAll(userId));
    const sorted = all.toSorted((left, right) => right.updatedAt - left.updatedAt);
    for (const old of sorted.slice(MOST_KEPT)) await removeConversation(old.id);
    return sorted.slice(0, MOST_KEPT);
  } catch {
    return [];
  }
}

export async function keepConversation(conversation: Conversation): Promise<void> {
  await run('readwrite', (table) => table.put(conversation)).catch(() => undefined);
}

export async function removeConversation(id: string): Promise<void> {
  await run('readwrite', (table) => table.delete(id)).catch(() => undefined);
}
