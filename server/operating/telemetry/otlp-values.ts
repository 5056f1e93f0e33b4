// Traces and metrics in the JSON of OTLP/HTTP (opentelemetry-proto 1.x). The official packages weigh 61 MB; see ADR 59.
import type { MetricObjectWithValues, MetricValueWithName, Registry } from 'prom-client';

type Values = Readonly<Record<string, string | number | boolean | undefined>>;

const valueOf = (value: string | number | boolean) => {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
};

export const attributesOf = (values: Values) =>
  Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: valueOf(value) }],
  );

/** 64-bit numbers are strings in OTLP's JSON. */
export const nanoseconds = (milliseconds: number): string =>
  (BigInt(Math.round(milliseconds * 1000)) * 1000n).toString();

const CUMULATIVE = 2;

type MetricJson = Omit<MetricObjectWithValues<MetricValueWithName<string>>, 'type'> & { type: unknown };

/** Every metric of the registry as cumulative sums, gauges and histograms. */
export async function metricsOf(registry: Registry, startedMs: number, nowMs: number): Promise<unknown[]> {
  const times = { startTimeUnixNano: nanoseconds(startedMs), timeUnixNano: nanoseconds(nowMs) };
  const all = (await registry.getMetricsAsJSON()) as unknown as MetricJson[];
  return all.map(({ name, help, type, values }) => {
    const points = () =>
      values.map(({ labels, value }) => ({
        ...times,
        attributes: attributesOf(labels as Values),
        asDouble: value,
      }));
    const head = { name, description: help };
    // prom-client names types by text or by number, depending on the call.
    if (type === 'histogram' || type === 2)
      return {
        ...head,
        histogram: { aggregationTemporality: CUMULATIVE, dataPoints: histogramPoints(name, values, times) },
      };
    if (type === 'counter' || type === 0)
      return {
        ...head,
        sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints: points() },
      };
    return { ...head, gauge: { dataPoints: points() } };
  });
}

/** Prometheus counts everything below a bound, OTLP what lies between two bounds. */
function histogramPoints(name: string, values: readonly MetricValueWithName<string>[], times: object) {
  const labelsOf = ({ labels }: MetricValueWithName<string>) => {
    const { le: _, ...rest } = labels as Record<string, string | number>;
    return rest;
  };
  const series = Map.groupBy(values, (value) => JSON.stringify(labelsOf(value)));
  return [...series.values()].map((list) => {
    const buckets = list.filter(({ metricName }) => metricName === `${name}_bucket`);
    const bound = ({ labels }: MetricValueWithName<string>) => Number((labels as { le: number | string }).le);
    const single = (suffix: string) =>
      list.find(({ metricName }) => metricName === `${name}_${suffix}`)?.value ?? 0;
    const finite = buckets.filter((value) => Number.isFinite(bound(value)));
    const counts = finite.map(({ value }, index) => value - (finite[index - 1]?.value ?? 0));
    return {
      ...times,
      attributes: attributesOf(list[0] === undefined ? {} : labelsOf(list[0])),
      count: String(single('count')),
      sum: single('sum'),
      explicitBounds: finite.map(bound),
      bucketCounts: [...counts, single('count') - (finite.at(-1)?.value ?? 0)].map(String),
    };
  });
}
