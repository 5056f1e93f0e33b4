// /metrics and traces: what an operator's Prometheus and OpenTelemetry collector get of real calls.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { createPainter } from '#tests/integration/relay/drawing/support.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { behaviourKey, startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { startCollector, type Collector } from './collector.ts';
import { problemsOf } from './exposition.ts';

const TOKEN = 'a-token-for-prometheus';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('telemetry', () => {
  let app: TestApplication;
  let upstream: MockUpstream;
  let collector: Collector;
  let key: string;
  let good: number;
  let broken: number;

  beforeAll(async () => {
    upstream = startMockUpstream();
    collector = startCollector();
    app = await startApplication({
      environment: {
        METRICS_TOKEN: TOKEN,
        OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-team=gate%20keepers',
      },
      settings: { RetryTimes: '2', ModelRatio: JSON.stringify({ 'gpt-4o': 1 }) },
    });
    const wish = { type: CHANNEL_TYPE.openAi, base_url: upstream.url, models: ['gpt-4o'] };
    broken = await addChannel(app.store, {
      ...wish,
      name: 'broken "one"',
      priority: 10,
      key: behaviourKey('sk-up', { status: 500 }),
    });
    good = await addChannel(app.store, { ...wish, name: 'good', priority: 1, key: 'sk-up' });
    ({ key } = await createPainter(app));
  });
  afterAll(async () => {
    await app.close();
    await collector.stop();
    await upstream.stop();
  });

  const chat = (body: object = {}, headers: Record<string, string> = {}) =>
    fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }], ...body }),
    });
  const scrape = (authorization = `Bearer ${TOKEN}`) =>
    fetch(`${app.url}/metrics`, { headers: authorization === '' ? {} : { authorization } });
  const valueOf = (text: string, series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.slice(series.length + 1) ?? 0,
    );

  test('a call with a failed attempt is one trace below the caller’s own, with its attempts as spans', async () => {
    const response = await chat({}, { traceparent: `00-${TRACE}-${PARENT}-01` });
    expect(response.status).toBe(200);
    await response.text();
    const spans = await eventually(
      async () => collector.spans.filter(({ traceId }) => traceId === TRACE),
      (found) => found.length > 0,
    );
    const [call, ...attempts] = spans;
    expect(call).toMatchObject({ parentSpanId: PARENT, name: 'chat gpt-4o', kind: 2 });
    expect(call?.values).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-4o',
      'tollgate.request_id': response.headers.get('x-request-id'),
    });
    expect(Number(call?.values['gen_ai.usage.input_tokens'])).toBeGreaterThan(0);
    expect(Number(call?.values['tollgate.charge'])).toBeGreaterThan(0);
    expect(attempts.map(({ parentSpanId, values }) => [parentSpanId, values['tollgate.channel.id']])).toEqual(
      [
        [call?.spanId, String(broken)],
        [call?.spanId, String(good)],
      ],
    );
    expect(attempts.map(({ values }) => values['tollgate.attempt.outcome'])).toEqual([
      'server_error',
      'success',
    ]);
    for (const { startTimeUnixNano, endTimeUnixNano } of spans)
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
    expect(collector.headers.get('x-team')).toBe('gate keepers');
    expect(JSON.stringify(spans)).not.toContain('sk-');
  });

  test('a caller that does not sample its trace is not traced', async () => {
    const other = TRACE.replace('4', '5');
    await (await chat({}, { traceparent: `00-${other}-${PARENT}-00` })).text();
    await (await chat({}, { traceparent: `00-${other.replace('5', '6')}-${PARENT}-01` })).text();
    await eventually(
      async () => collector.spans.some(({ traceId }) => traceId.startsWith('6')),
      (found) => found,
    );
    expect(collector.spans.filter(({ traceId }) => traceId === other)).toEqual([]);
  });

  test('N22: /metrics needs the token, follows the rules for names, and counts what was served', async () => {
    expect((await scrape('')).status).toBe(401);
    expect((await scrape('Bearer another-token-of-length')).status).toBe(401);
    const before = await (await scrape()).text();
    await (await chat({ stream: true, stream_options: { include_usage: true } })).text();
    expect((await chat({ model: 'unknown-model' })).status).toBe(404);
    const response = await scrape();
    expect(response.headers.get('content-type')).toStartWith('text/plain; version=0.0.4');
    const after = await response.text();
    expect(problemsOf(after)).toEqual([]);
    const grew = (series: string) => valueOf(after, series) - valueOf(before, series);
    expect(grew('tollgate_calls_total{model="gpt-4o",result="charged"}')).toBe(1);
    expect(grew(`tollgate_attempts_total{channel="${good}",outcome="success"}`)).toBe(1);
    expect(grew('tollgate_call_duration_seconds_count{streamed="true"}')).toBe(1);
    expect(grew(`tollgate_first_token_seconds_count{channel="${good}"}`)).toBe(1);
    expect(grew('tollgate_refusals_total{code="no_channel"}')).toBe(1);
    expect(grew('tollgate_tokens_total{model="gpt-4o",direction="input"}')).toBeGreaterThan(0);
    const charged = await app.store.db.selectFrom('logs').select('quota').where('type', '=', 2).execute();
    const dollars = charged.reduce((sum, { quota }) => sum + quota, 0) / 500_000;
    expect(valueOf(after, 'tollgate_charged_above_hold_dollars_total')).toBe(0);
    expect(valueOf(after, `tollgate_charged_dollars_total{channel="${good}"}`)).toBeCloseTo(dollars, 9);
    expect(after).toContain(String.raw`name="broken \"one\""`);
    expect(valueOf(after, 'process_resident_memory_bytes')).toBeGreaterThan(1e7);
    const dashboard = await Bun.file(
      new URL('../../../../docs/grafana-dashboard.json', import.meta.url),
    ).text();
    const asked = new Set(dashboard.match(/\b(?:tollgate|process)_\w+/g));
    expect(
      [...asked].filter((name) => !after.includes(`\n${name}{`) && !after.includes(`\n${name} `)),
    ).toEqual([]);
  });

  test('metrics reach the collector as sums and histograms whose buckets add up', async () => {
    await app.close();
    const metric = (name: string) => collector.metrics.findLast((each) => each.name === name);
    expect(metric('tollgate_calls_total')?.sum).toMatchObject({
      isMonotonic: true,
      aggregationTemporality: 2,
    });
    const points = metric('tollgate_call_duration_seconds')?.histogram?.dataPoints ?? [];
    expect(points.length).toBe(2);
    for (const { count, bucketCounts, explicitBounds } of points) {
      expect(bucketCounts.length).toBe(explicitBounds.length + 1);
      expect(bucketCounts.reduce((sum, value) => sum + Number(value), 0)).toBe(Number(count));
    }
  });
});

test('without configuration /metrics does not exist', async () => {
  await using app = { ...(await startApplication()), [Symbol.asyncDispose]: () => app.close() };
  expect((await fetch(`${app.url}/metrics`)).status).toBe(404);
});
