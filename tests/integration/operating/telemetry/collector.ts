// An OpenTelemetry collector: takes OTLP over HTTP as JSON, refuses what does not have its shape, and keeps the rest.
import { z } from 'zod';

const nano = z.string().regex(/^\d{16,20}$/);
const value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({ boolValue: z.boolean() }),
]);
const attributes = z.array(z.strictObject({ key: z.string().min(1), value }));
const scope = z.strictObject({ name: z.string(), version: z.string() });
const resource = z.strictObject({ attributes });
const span = z.strictObject({
  traceId: z.string().regex(/^[\da-f]{32}$/),
  spanId: z.string().regex(/^[\da-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[\da-f]{16}$/)
    .optional(),
  name: z.string().min(1),
  kind: z.number().int().min(1).max(5),
  startTimeUnixNano: nano,
  endTimeUnixNano: nano,
  attributes,
  status: z.strictObject({ code: z.number().int().max(2).optional(), message: z.string().optional() }),
});
const times = { startTimeUnixNano: nano, timeUnixNano: nano, attributes };
const points = z.array(z.strictObject({ ...times, asDouble: z.number() }));
const count = z.string().regex(/^\d+$/);
const metric = z.strictObject({
  name: z.string(),
  description: z.string(),
  sum: z
    .strictObject({ aggregationTemporality: z.literal(2), isMonotonic: z.boolean(), dataPoints: points })
    .optional(),
  gauge: z.strictObject({ dataPoints: points }).optional(),
  histogram: z
    .strictObject({
      aggregationTemporality: z.literal(2),
      dataPoints: z.array(
        z.strictObject({
          ...times,
          count,
          sum: z.number(),
          explicitBounds: z.array(z.number()),
          bucketCounts: z.array(count),
        }),
      ),
    })
    .optional(),
});
const traces = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({ resource, scopeSpans: z.array(z.strictObject({ scope, spans: z.array(span) })) }),
  ),
});
const metrics = z.strictObject({
  resourceMetrics: z.array(
    z.strictObject({ resource, scopeMetrics: z.array(z.strictObject({ scope, metrics: z.array(metric) })) }),
  ),
});

export type ReceivedSpan = z.output<typeof span> & { values: Record<string, string | number | boolean> };

export interface Collector {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly metrics: z.output<typeof metric>[];
  /** Of the last request. */
  headers: Headers;
  stop(): Promise<void>;
}

export function startCollector(): Collector {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      collector.headers = request.headers;
      const body: unknown = await request.json();
      const { pathname } = new URL(request.url);
      const read =
        pathname === '/v1/traces'
          ? traces.safeParse(body)
          : pathname === '/v1/metrics'
            ? metrics.safeParse(body)
            : undefined;
      if (read?.data === undefined) return new Response(String(read?.error ?? 'not found'), { status: 400 });
      if ('resourceSpans' in read.data)
        for (const each of read.data.resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) => spans),
        ))
          collector.spans.push({
            ...each,
            values: Object.fromEntries(
              each.attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
            ),
          });
      else
        collector.metrics.push(
          ...read.data.resourceMetrics.flatMap(({ scopeMetrics }) =>
            scopeMetrics.flatMap((each) => each.metrics),
          ),
        );
      return Response.json({});
    },
  });
  const collector: Collector = {
    url: `http://127.0.0.1:${server.port}`,
    spans: [],
    metrics: [],
    headers: new Headers(),
    stop: () => server.stop(true),
  };
  return collector;
}
