// Virtual models and a call of one.
import type { Actor, TestApplication } from '#tests/support/application.ts';
import { callDetails, PLAIN, writeLogs } from './logs-support.ts';

export async function chooseAmong(application: TestApplication, admin: Actor): Promise<void> {
  const { virtualModels } = application.client(admin);
  await virtualModels.create({
    body: {
      name: 'fast',
      description: 'Quick answers at the price of the model that gives them',
      targets: [
        { model: 'gpt-4o', when: { pictures: true, groups: ['vip'] } },
        {
          model: 'gpt-4o-mini',
          when: { prompt_at_most: 20_000, fits_context: true, header: { name: 'x-tier', values: ['gold'] } },
          first_token_seconds: 10,
          fall_back_on: ['down', 'overloaded', 'rate_limit', 'first_token_timeout'],
        },
        { model: 'kimi-k2-turbo-preview', when: { hours: { from: '22:00', to: '06:00', days: [6, 7] } } },
        { model: 'gemini-2.5-flash', when: { share_percent: 30 } },
        { model: 'deepseek-chat', when: { budget_below: 5, max_cost: 0.02 } },
        { model: 'claude-sonnet-4-5', fall_back_on: [] },
      ],
    },
  });
  await virtualModels.create({
    body: { name: 'house-model', price: 'own', targets: [{ model: 'gpt-4.1' }, { model: 'gpt-4o' }] },
  });
  await virtualModels.create({
    body: { name: 'careful', enabled: false, targets: [{ model: 'o3-mini' }, { model: 'coming-soon' }] },
  });
  const route = [
    { model: 'gpt-4o', why: 'pictures' },
    { model: 'gpt-4o-mini', why: 'overloaded' },
    { model: 'kimi-k2-turbo-preview', why: 'no_channel' },
  ];
  const attempts = [
    { channel: 1, status: 503, milliseconds: 320, error: 'status 503: overloaded' },
    { channel: 5, status: 200, milliseconds: 900 },
  ];
  await writeLogs(application, admin, [
    {
      ...PLAIN,
      model_name: 'gemini-2.5-flash',
      channel_id: 5,
      channel_name: 'gemini-tokyo',
      request_id: 'req_virtual',
      created_at: Math.floor(Date.now() / 1000) - 5,
      other: callDetails({
        frt: 410,
        usage: { input: 1204, output: 318 },
        asked_model: 'fast',
        answered_model: 'gemini-2.5-flash',
        admin_info: { use_channel: ['1', '5'], attempts, route },
      }),
    },
  ]);
}
