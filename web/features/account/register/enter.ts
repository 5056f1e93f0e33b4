/** From a new account straight into the console: the sign-in that the password allows, and a first key to connect with. */
import { needsSecondStep, type SessionUser } from '#contract/admin/session.ts';
import { api } from '#web/api.ts';

/** Undefined: the sign-in page has to be used, for example because the human check must be passed again. */
export async function enter(username: string, password: string): Promise<SessionUser | undefined> {
  try {
    const answer = await api.session.login({ body: { username, password }, query: {} });
    return needsSecondStep(answer) ? undefined : answer;
  } catch {
    return undefined;
  }
}

/** The page that a newcomer lands on: the first key, open to be connected. It spends what the balance allows. */
export async function firstKeyPage(name: string): Promise<string> {
  try {
    const [token] = await api.tokens.create({ body: { name, unlimited_quota: true } });
    return token ? `/token?connect=${token.id}` : '/token';
  } catch {
    return '/token';
  }
}
