// An organization with people, keys and calls, for the browser tests of it.
import type { TokenView } from '#contract/admin/tokens.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import {
  makeOrganization,
  SETTINGS,
  type Member,
  type Organization,
} from '#tests/integration/admin/organizations/support.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';

export const MODEL = 'gpt-4o-mini';
const QUOTA = 10_000_000;

export interface Company {
  application: TestApplication;
  mock: MockUpstream;
  root: Actor;
  found(name: string): Promise<Organization>;
  keyOf(member: Member, more?: object): Promise<TokenView>;
  /** The status of a call with the key. */
  call(key: string, headers?: Record<string, string>): Promise<number>;
  close(): Promise<void>;
}

export async function openCompany(): Promise<Company> {
  const mock = startMockUpstream();
  const application = await startApplication({ settings: SETTINGS });
  const root = await application.actor({ role: 100 });
  await addChannel(application.store, { base_url: mock.url, models: [MODEL, 'gpt-4o'] });
  return {
    application,
    mock,
    root,
    async found(name) {
      const organization = await makeOrganization(application, name);
      await application.client(root).organizationManagement.adjustBalance({
        params: { id: organization.id },
        body: { quota_change: QUOTA, quota_reason: 'opening' },
      });
      return organization;
    },
    async keyOf(member, more = {}) {
      const body = { name: 'team-key', unlimited_quota: true, ...more };
      const [token] = await member.client.tokens.create({ body });
      if (token === undefined) throw new Error('no token');
      return token;
    },
    async call(key, more = {}) {
      const answer = await fetch(`${application.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}`, ...more },
        body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'hello' }] }),
      });
      await answer.text();
      return answer.status;
    },
    async close() {
      await application.close();
      await mock.stop();
    },
  };
}
