// Connects an upstream, prices its model and prints the channels: npx bun examples/connect-provider.ts
// TOLLGATE_URL, TOLLGATE_ACCESS_TOKEN and TOLLGATE_USER_ID name the installation; PROVIDER_URL and PROVIDER_KEY the upstream.
import { createAdminClient, TollgateError } from '../src/index.ts';

const variable = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`set ${name}`);
  return value;
};

const tollgate = createAdminClient({
  address: variable('TOLLGATE_URL'),
  accessToken: variable('TOLLGATE_ACCESS_TOKEN'),
  userId: Number(variable('TOLLGATE_USER_ID')),
});

try {
  await tollgate.channels.create({
    body: {
      name: 'example',
      type: 1,
      key: variable('PROVIDER_KEY'),
      base_url: variable('PROVIDER_URL'),
      models: ['example-model'],
      groups: ['default'],
    },
  });
  // 1 is $2 for a million tokens of input.
  await tollgate.options.save({ body: { key: 'ModelRatio', value: JSON.stringify({ 'example-model': 1 }) } });
  const { data: channels } = await tollgate.channels.list({ query: {} });
  for (const { id, name, models } of channels) console.log(`${id} ${name}: ${models}`);
} catch (error) {
  if (!(error instanceof TollgateError)) throw error;
  console.error(`${error.status} ${error.code ?? ''}: ${error.message}`);
  for (const { field, message } of error.fields) console.error(`  ${field}: ${message}`);
  process.exitCode = 1;
}
