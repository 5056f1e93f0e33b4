import { expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { channelsOf } from './channels.ts';
import { readLiteLlmConfiguration } from './config.ts';
import { readKeyTable } from './key-table.ts';
import { pricesOf } from './prices.ts';

const FILE = `
model_list:
  - model_name: gpt-4o
    litellm_params:
      model: openai/gpt-4o
      api_key: os.environ/OPENAI_API_KEY
      input_cost_per_token: 0.0000025
      output_cost_per_token: 0.00001
  - model_name: fast
    litellm_params: { model: gpt-4o-mini, api_key: os.environ/OPENAI_API_KEY }
    model_info: { input_cost_per_token: 1.5e-7, cache_read_input_token_cost: 7.5e-8 }
  - model_name: gpt-4o
    litellm_params:
      model: azure/my-deployment
      api_base: https://x.openai.azure.com/
      api_version: "2024-06-01"
      api_key: azure-key
      weight: 3
      order: 2
  - model_name: local
    litellm_params: { model: openai/llama, api_base: "http://10.0.0.1:8000/v1", api_key: none }
  - model_name: claude
    litellm_params: { model: bedrock/anthropic.claude, aws_access_key_id: AK, aws_secret_access_key: SK, aws_region_name: us-east-1 }
  - model_name: secret
    litellm_params: { model: anthropic/claude, api_key: os.environ/NOT_SET }
  - model_name: odd
    litellm_params: { model: petals/model }
  - litellm_params: {}
general_settings: { master_key: sk-1234 }
litellm_settings: { drop_params: true }
`;

test('entries with the same upstream become one channel; what cannot be brought says why', () => {
  const { models, unreadable, masterKey } = readLiteLlmConfiguration(FILE);
  expect(masterKey).toBe('sk-1234');
  expect(unreadable).toEqual([{ index: 7, reason: 'model_name' }]);
  const { channels, left } = channelsOf(models, { OPENAI_API_KEY: 'sk-openai' });
  expect(
    channels.map(
      ({ key, columns: { type, base_url, other, models: names, model_mapping, weight, priority } }) => [
        type,
        key,
        base_url,
        other,
        names,
        model_mapping,
        weight,
        priority,
      ],
    ),
  ).toEqual([
    [CHANNEL_TYPE.openAi, 'sk-openai', '', '', 'gpt-4o,fast', '{"fast":"gpt-4o-mini"}', 0, 0],
    [
      CHANNEL_TYPE.azure,
      'azure-key',
      'https://x.openai.azure.com',
      '2024-06-01',
      'gpt-4o',
      '{"gpt-4o":"my-deployment"}',
      3,
      -2,
    ],
    [CHANNEL_TYPE.openAi, 'none', 'http://10.0.0.1:8000', '', 'local', '{"local":"llama"}', 0, 0],
    [CHANNEL_TYPE.bedrock, 'AK|SK|us-east-1', '', '', 'claude', '{"claude":"anthropic.claude"}', 0, 0],
  ]);
  expect(left).toEqual([
    { model: 'secret', reason: 'the environment variable NOT_SET is not set, or not named with --env' },
    { model: 'odd', reason: 'the provider petals is not known here' },
  ]);
});

test('prices in dollars for a token become ratios', () => {
  const { models } = readLiteLlmConfiguration(FILE);
  expect(pricesOf(models, 500_000)).toEqual({
    ModelRatio: { 'gpt-4o': 1.25, fast: 0.075 },
    CompletionRatio: { 'gpt-4o': 4 },
    CacheRatio: { fast: 0.5 },
    CreateCacheRatio: {},
    ModelPrice: {},
  });
});

test('a file that is no configuration is refused', () => {
  expect(() => readLiteLlmConfiguration('a: [')).toThrow('not valid YAML');
  expect(() => readLiteLlmConfiguration('just text')).toThrow('not a configuration of LiteLLM');
});

test('a CSV file with quotes and line breaks', () => {
  expect(readKeyTable('\uFEFFkey,models\r\n"sk-a","x,""y""\nz"\r\n\r\nsk-b,\r\n')).toEqual([
    { key: 'sk-a', models: 'x,"y"\nz' },
    { key: 'sk-b', models: '' },
  ]);
  expect(() => readKeyTable('key,models\n"sk-a,x\n')).toThrow('not valid CSV');
});

test('of an order of channels that does not exist here the report names the strategy (N37)', () => {
  const { settings } = readLiteLlmConfiguration(
    'model_list: []\nrouter_settings: { routing_strategy: least-busy }',
  );
  expect(settings.options.size).toBe(0);
  expect(settings.left).toEqual([
    { name: 'router_settings.routing_strategy least-busy', reason: expect.stringContaining('ChannelOrder') },
  ]);
});

test('a limit of calls at the same time is the sum of the entries of a channel, and none when one has none (N37)', () => {
  const entry = (name: string, limit: string) =>
    `  - { model_name: ${name}, litellm_params: { model: openai/${name}, api_key: one${limit} } }\n`;
  const most = (...limits: string[]) =>
    channelsOf(
      readLiteLlmConfiguration(
        `model_list:\n${limits.map((limit, index) => entry(`m${index}`, limit)).join('')}`,
      ).models,
      {},
    );
  const both = most(', max_parallel_requests: 4', ', max_parallel_requests: 6');
  expect([both.channels.map(({ columns }) => columns.max_concurrency), both.notes]).toEqual([[10], []]);
  const one = most(', max_parallel_requests: 4', '');
  expect(one.channels.map(({ columns }) => columns.max_concurrency)).toEqual([0]);
  expect(one.notes).toEqual([expect.stringMatching(/^max_parallel_requests is not brought.*: m0$/)]);
});
