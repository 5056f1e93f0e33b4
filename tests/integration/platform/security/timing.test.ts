// Callers cannot find out which accounts exist: login, reset, codes and registration give the same message after the
// same time. The exception is a taken user name, which registration has to name; it takes as long as a free one.
import { verifyPassword } from '#server/platform/store/passwords.ts';
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  startApplication,
  type Actor,
  type Reply,
  type TestApplication,
} from '#tests/support/application.ts';
import { useRealPasswordCost } from '#tests/support/cheap-passwords.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { startMailServer, type MailServer } from '#tests/support/mail-server.ts';

setDefaultTimeout(120_000);
useRealPasswordCost();

const MOST_DIFFERENCE_MS = 5;
const LEAST_ROUNDS = 12;
const MOST_ROUNDS = 60;
/** Enough users that no account reaches the delay for repeated guesses. */
const PEOPLE = 16;

let app: TestApplication;
let mails: MailServer;
let count = 0;
const newName = () => `timing${(count += 1)}`;
const newEmail = () => `${newName()}@example.com`;
/** Each call has another address, so that no limit per address is measured. */
const anywhere = () => {
  count += 1;
  return { 'X-Forwarded-For': `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}` };
};

const hash = Bun.password.hash.bind(Bun.password);
const verify = Bun.password.verify.bind(Bun.password);
/** The cost of each password hashed or compared since the last reset, and the total time. */
const hashed = { costs: [] as string[], milliseconds: 0 };

async function watched<T>(cost: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    hashed.costs.push(cost);
    hashed.milliseconds += performance.now() - startedAt;
  }
}

beforeAll(async () => {
  mails = await startMailServer();
  app = await startApplication({
    environment: { TRUSTED_PROXIES: '127.0.0.1' },
    settings: { ...mails.settings, ServerAddress: 'https://gate.example' },
  });
  // The real hasher at its real cost, observed by a spy.
  Bun.password.hash = (password, options) =>
    watched(`hash ${JSON.stringify(options)}`, () => hash(password, options));
  Bun.password.verify = (password, stored, algorithm) =>
    watched(`verify ${typeof stored === 'string' ? stored.split('$').slice(1, 4).join(' ') : ''}`, () =>
      verify(password, stored, algorithm),
    );
  // A start makes the hash that unknown names are compared with and compares it once. The number of concurrent
  // comparisons is limited, so two more comparisons wait until that is over.
  await Promise.all([1, 2, 3].map(() => verifyPassword('any', undefined)));
});
afterAll(async () => {
  Object.assign(Bun.password, { hash, verify });
  await app.close();
  await mails.close();
});

/** A call, and its preparation, which is not measured. */
interface Way {
  prepare?: () => Promise<void>;
  call: () => Promise<Reply>;
}

/**
 * The largest difference between the cases in milliseconds. Throws unless each case hashes as many passwords at the same
 * cost; the rest of each call is measured by the clock without the hashing, whose time depends on the load of the
 * machine. The cases alternate, so that load affects all of them alike; load can only add to a time, so the lowest is
 * what an attacker could average down to.
 */
async function differenceOf(ways: Readonly<Record<string, Way>>): Promise<number> {
  const measured = Object.values(ways).map((way) => ({ ...way, times: [] as number[] }));
  const difference = () => {
    const lowest = measured.map(({ times }) => Math.min(...times));
    return Math.max(...lowest) - Math.min(...lowest);
  };
  let costs: string | undefined;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    // A busy machine needs more rounds to show the lowest.
    if (round >= LEAST_ROUNDS && difference() < MOST_DIFFERENCE_MS) break;
    // Each round begins with another case: otherwise the same one would always follow a slow one.
    const first = round % measured.length;
    for (const { prepare, call, times } of [...measured.slice(first), ...measured.slice(0, first)]) {
      await prepare?.();
      Object.assign(hashed, { costs: [], milliseconds: 0 });
      const startedAt = performance.now();
      await call();
      times.push(performance.now() - startedAt - hashed.milliseconds);
      costs ??= hashed.costs.join(', ');
      expect(hashed.costs.join(', ')).toBe(costs);
    }
  }
  return difference();
}

async function expectAlike(what: string, ways: Readonly<Record<string, Way>>): Promise<void> {
  const milliseconds = await differenceOf(ways);
  expect(milliseconds).toBeLessThan(MOST_DIFFERENCE_MS);
  faultSeen('A3', `${what}: ${Object.keys(ways).length} cases, ${milliseconds.toFixed(1)} ms apart`);
}

/** Sends the call and checks its answer, which is the same for all cases. */
const sameAnswer =
  (expected: Partial<Reply['body']>, send: () => Promise<Reply>) => async (): Promise<Reply> => {
    const reply = await send();
    expect(reply.body).toMatchObject(expected);
    return reply;
  };

const people = async (row: Parameters<TestApplication['createUser']>[0] = {}) => {
  const made: string[] = [];
  for (let index = 0; index < PEOPLE; index += 1) made.push((await app.createUser(row)).username);
  let next = 0;
  return () => made[(next += 1) % PEOPLE] ?? '';
};

test('A3 login: an unknown name, a known one and a banned one (plan A3)', async () => {
  const refused = (nameOf: () => string) => ({
    call: sameAnswer(
      { success: false, message: 'Wrong username or password, or the account is banned' },
      () =>
        app.request('/api/user/login', {
          body: { username: nameOf(), password: 'not-the-password' },
          headers: anywhere(),
        }),
    ),
  });
  const known = await people();
  const banned = await people({ row: { status: 2 } });
  const withoutPassword = await people({ row: { password_hash: '' } });
  await expectAlike('login', {
    unknown: refused(newName),
    known: refused(known),
    banned: refused(banned),
    withoutPassword: refused(withoutPassword),
  });
});

test('A3 login by mail: an unused address, a used one, and one that another user has as user name (plan A3)', async () => {
  const addresses = async (isSquatted: boolean) => {
    const made: string[] = [];
    for (let index = 0; index < PEOPLE; index += 1) {
      const email = newEmail();
      await app.createUser({ row: { email } });
      if (isSquatted) await app.createUser({ username: email });
      made.push(email);
    }
    let next = 0;
    return () => made[(next += 1) % PEOPLE] ?? '';
  };
  const refused = (nameOf: () => string) => ({
    call: sameAnswer({ code: 'wrong_credentials' }, () =>
      app.request('/api/user/login', {
        body: { username: nameOf(), password: 'not-the-password' },
        headers: anywhere(),
      }),
    ),
  });
  await expectAlike('login by mail', {
    nobodys: refused(newEmail),
    somebodys: refused(await addresses(false)),
    squatted: refused(await addresses(true)),
  });
});

/** Addresses with an account, each used once: an address may be asked for only once a minute. */
function prepared(row: Record<string, unknown> = {}) {
  let email = '';
  return {
    prepare: async () => {
      email = newEmail();
      await app.createUser({ row: { ...row, email } });
    },
    email: () => email,
  };
}

const SENT = { success: true, message: '', data: null };

test('A3 a reset link: for an address with an account, without, and of a banned user (plan A3)', async () => {
  const ask = (emailOf: () => string) =>
    sameAnswer(SENT, () => app.request(`/api/reset_password?email=${emailOf()}`, { headers: anywhere() }));
  const known = prepared();
  const banned = prepared({ status: 2 });
  await expectAlike('reset', {
    known: { prepare: known.prepare, call: ask(known.email) },
    // A user is created for the unused address too: the database has the same work before each call.
    unknown: { prepare: prepared().prepare, call: ask(newEmail) },
    banned: { prepare: banned.prepare, call: ask(banned.email) },
  });
  // Mails to unused addresses are not sent.
  const left = () => app.store.db.selectFrom('mails').select('id').where('recipient', '=', '').execute();
  const deadline = performance.now() + 10_000;
  while ((await left()).length > 0 && performance.now() < deadline) await Bun.sleep(50);
  expect(await left()).toEqual([]);
});

test.each(['a visitor', 'a signed-in user'])(
  'A3 a code for %s: to a free address and to a taken one (plan A3)',
  async (who) => {
    const as: Actor | undefined = who === 'a visitor' ? undefined : await app.actor();
    const ask = (emailOf: () => string) =>
      sameAnswer(SENT, () =>
        app.request(`/api/verification?email=${emailOf()}`, { as, headers: anywhere() }),
      );
    const taken = prepared();
    await expectAlike('code', {
      taken: { prepare: taken.prepare, call: ask(taken.email) },
      free: { prepare: prepared().prepare, call: ask(newEmail) },
    });
  },
);

const register = (body: Record<string, string>) =>
  app.request('/api/user/register', {
    body: { username: newName(), password: 'a-fine-password', ...body },
    headers: anywhere(),
  });

test('A3 registration: a taken name is named, as it has to be, but takes as long as a free one (plan A3)', async () => {
  const taken = await people();
  await expectAlike('registration', {
    free: { call: sameAnswer({ success: true }, () => register({})) },
    taken: {
      call: sameAnswer({ message: 'The username is already taken' }, () => register({ username: taken() })),
    },
    takenInOtherLetters: {
      call: sameAnswer({ code: 'username_taken' }, () => register({ username: taken().toUpperCase() })),
    },
  });
});

test('A3 registration with a wrong code: for a free address, a taken one, and one that asked for no code (plan A3)', async () => {
  await app.settings.set('EmailVerificationEnabled', 'true', 1);
  try {
    const guess = (emailOf: () => string) =>
      sameAnswer(
        { success: false, message: 'The verification code is wrong or expired. Request a new one.' },
        () => register({ email: emailOf(), verification_code: '000000' }),
      );
    const taken = prepared();
    let free = '';
    const askFor = (email: string) =>
      app.request(`/api/verification?email=${email}`, { headers: anywhere() });
    await expectAlike('registration by code', {
      taken: {
        async prepare() {
          await taken.prepare();
          await askFor(taken.email());
        },
        call: guess(taken.email),
      },
      free: {
        async prepare() {
          await prepared().prepare();
          free = newEmail();
          await askFor(free);
        },
        call: guess(() => free),
      },
      unasked: { prepare: prepared().prepare, call: guess(newEmail) },
    });
  } finally {
    await app.settings.set('EmailVerificationEnabled', 'false', 1);
  }
});
