// What the public pages show on the screenshots: how calls went for 85 days, incidents, a question, the operator's
// own texts, and a conversation that somebody shares.
import { watchIncidents } from '#server/admin/status/index.ts';
import type { TestApplication } from '#tests/support/application.ts';
import type { Lived } from './screenshot-data.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const DAYS = 85;
const MODELS = [
  'gpt-4o',
  'gpt-4o-mini',
  'claude-sonnet-4-5',
  'claude-opus-4-5',
  'gemini-2.5-flash',
  'deepseek-chat',
];

export const LEGAL = {
  TermsZh: '# 服务条款\n\n请勿滥用。余额不可转让，未使用的余额可在 **30 天** 内退款。',
  TermsEn:
    '# Terms of service\n\nDo not abuse it. Balance is personal and can be refunded within **30 days**.',
  PrivacyZh: '# 隐私\n\n请求内容不会被保存。日志只保存用量和费用。',
  PrivacyEn: '# Privacy\n\nThe content of calls is not kept. Logs have usage and cost only.',
  ContactZh: '# 联系我们\n\n工作日 9:00 至 18:00：[gate@example.com](mailto:gate@example.com)',
  ContactEn: '# Contact\n\nMonday to Friday, 9 to 6: [gate@example.com](mailto:gate@example.com)',
};

/** The path of the shared conversation. */
export async function openShop(application: TestApplication, { admin, user }: Lived): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  await measure(application, now);
  const client = application.client(admin);
  const network = { title_zh: '网络抖动', title_en: 'Network trouble', models: ['gpt-4o'] };
  await client.incidents.create({
    body: {
      ...network,
      begun_at: now - 3 * HOUR,
      ended_at: 0,
      text_zh: '一条上游线路变慢，部分请求改走备用线路。',
      text_en: 'A line to the upstream is slow; some calls take another one.',
    },
  });
  await client.incidents.create({
    body: {
      ...network,
      begun_at: now - 20 * DAY,
      ended_at: now - 20 * DAY + 2 * HOUR,
      text_zh: '上游已恢复。',
      text_en: 'The upstream is back.',
    },
  });
  await watchIncidents(application);
  await client.faq.create({
    body: {
      question: '余额会过期吗？',
      question_en: 'Does the balance expire?',
      answer: '不会。',
      answer_en: 'It does not.',
    },
  });
  return await share(application, user);
}

async function measure({ store }: TestApplication, now: number): Promise<void> {
  const hour = now - (now % HOUR);
  const cell = (model_name: string, place: number, start: number, at: number) => ({
    seconds: HOUR,
    start,
    model_name,
    answered: 400 + 13 * ((at * 7 + place) % 11),
    failed: (at + place * 5) % 17 === 4 ? 9 : (at + place) % 3,
  });
  const cells = MODELS.flatMap((model, place) => [
    ...Array.from({ length: 24 }, (_, at) => cell(model, place, hour - at * HOUR, at)),
    ...Array.from({ length: DAYS }, (_, day) => cell(model, place, hour - (day + 1) * DAY, day)),
  ]);
  const minute = { seconds: 60, start: now - (now % 60) - 60, model_name: 'gpt-4o', answered: 75, failed: 1 };
  await store.db
    .insertInto('measured_cells')
    .values([...cells, minute])
    // The calls of the playground are counted already.
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function share(application: TestApplication, user: Lived['user']): Promise<string> {
  const id = crypto.randomUUID();
  const { chats } = application.client(user);
  const { path } = await chats.share({
    body: {
      chat_id: id,
      chat: {
        title: 'Leap years',
        turns: [
          {
            text: 'Which years are leap years?',
            attachments: [],
            answers: [
              {
                model: 'gpt-4o',
                content:
                  'Years that can be divided by 4:\n\n```python\nyear % 4 == 0\n```\n\n| year | leap |\n|---|---|\n| 1900 | no |\n| 2000 | yes |',
                tools: [],
              },
            ],
          },
        ],
      },
    },
  });
  return path;
}
