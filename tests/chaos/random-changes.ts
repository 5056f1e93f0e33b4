// An administrator who makes random changes through the API while calls run: prices, bans, credits and debits.
import { rootPassword } from '#tests/support/root-token.ts';
import { dice } from '#tests/support/random.ts';
import type { Person } from './people.ts';

export interface RandomChanges {
  readonly done: number;
  stop(): Promise<void>;
}

const chance = (share: number) => dice.next() < share;
export const between = (least: number, most: number): number =>
  Math.round(least + dice.next() * (most - least));

export function startRandomChanges(url: string, people: readonly Person[]): RandomChanges {
  const ending = new AbortController();
  let done = 0;

  async function changeAtRandom(): Promise<void> {
    let session: Record<string, string> | undefined;
    while (!ending.signal.aborted) {
      await Bun.sleep(between(200, 1200));
      try {
        session ??= await signIn(url);
        if (await change(url, session, people)) done += 1;
      } catch {
        // The gateway is down at the moment.
        session = undefined;
      }
    }
    // Lifts all bans, so that the next period begins with every user active.
    for (const { userId } of people) {
      session ??= await signIn(url);
      await send(url, session, 'POST', '/api/user/manage', { id: userId, action: 'enable' });
    }
  }

  const ended = changeAtRandom();
  return {
    get done() {
      return done;
    },
    async stop() {
      ending.abort();
      await ended;
    },
  };
}

async function change(
  url: string,
  session: Record<string, string>,
  people: readonly Person[],
): Promise<boolean> {
  const person = people[between(0, people.length - 1)];
  if (person === undefined) return false;
  const id = person.userId;
  if (chance(0.4)) {
    const value = JSON.stringify({ 'gpt-4o-mini': between(1, 400) / 100 });
    return await send(url, session, 'PUT', '/api/option/', { key: 'ModelRatio', value });
  }
  if (chance(0.5))
    return await send(url, session, 'PUT', '/api/user/', { id, quota_change: between(-100_000, 150_000) });
  const isBanned = await send(url, session, 'POST', '/api/user/manage', { id, action: 'disable' });
  await Bun.sleep(between(50, 500));
  await send(url, session, 'POST', '/api/user/manage', { id, action: 'enable' });
  return isBanned;
}

export async function signIn(url: string): Promise<Record<string, string>> {
  const answer = await fetch(`${url}/api/user/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'root', password: rootPassword }),
  });
  const { data } = (await answer.json()) as { data: { id: number } };
  const cookie = answer.headers.getSetCookie().map((line) => line.split(';')[0]);
  return { Cookie: cookie.join('; '), 'New-Api-User': String(data.id), 'Content-Type': 'application/json' };
}

async function send(
  url: string,
  headers: Record<string, string>,
  method: string,
  path: string,
  body: object,
): Promise<boolean> {
  const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
  return ((await answer.json()) as { success: boolean }).success;
}
