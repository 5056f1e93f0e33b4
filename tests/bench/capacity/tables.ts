// The figures of docs/guides/scale.md in both languages, from measured.json and the model. scripts/guides.test.ts compares them.
import type { Language, Text } from '#contract/language.ts';
import type { Measured } from './measured.ts';
import { ONE_MACHINE, USUAL_TRAFFIC, type Footprint, type Setup } from './model.ts';
import { clockOf, growUntilItHolds, OFFICE_DAY, type Growth } from './simulate.ts';

export const PEAKS = [10, 100, 1000, 10_000, 100_000];

type Unit = 'µs' | 'B' | 'KB' | 'MB' | '';

const FIGURES: Record<keyof Footprint, { label: Text; unit: Unit; digits?: number }> = {
  gatewayMicroseconds: { label: { en: 'CPU of the gateway, a call', zh: '网关 CPU，每次调用' }, unit: 'µs' },
  chunkMicroseconds: { label: { en: 'CPU of the gateway, a chunk', zh: '网关 CPU，每个分块' }, unit: 'µs' },
  databaseMicroseconds: {
    label: { en: 'CPU of PostgreSQL, a call', zh: 'PostgreSQL CPU，每次调用' },
    unit: 'µs',
  },
  rowsWritten: { label: { en: 'rows written, a call', zh: '写入行数，每次调用' }, unit: '', digits: 1 },
  transactions: { label: { en: 'transactions, a call', zh: '事务数，每次调用' }, unit: '', digits: 2 },
  walBytes: { label: { en: 'write-ahead log, a call', zh: '预写日志，每次调用' }, unit: 'B' },
  logBytes: { label: { en: 'log rows on disk, a call', zh: '磁盘上的日志行，每次调用' }, unit: 'B' },
  ledgerBytes: {
    label: { en: 'ledger and figures on disk, a call', zh: '磁盘上的账本和统计，每次调用' },
    unit: 'B',
  },
  connectionsPerNode: {
    label: { en: 'database connections of a gateway', zh: '每个网关的数据库连接' },
    unit: '',
  },
  residentMegabytes: { label: { en: 'memory of a gateway', zh: '网关的内存' }, unit: 'MB' },
  streamKilobytes: { label: { en: 'memory of a running stream', zh: '每个运行中的流的内存' }, unit: 'KB' },
  reportRowsPerSecond: { label: { en: 'usage reports, rows a second', zh: '用量报表，每秒行数' }, unit: '' },
  exportRowsPerSecond: { label: { en: 'log export, rows a second', zh: '日志导出，每秒行数' }, unit: '' },
  auditRowsPerSecond: { label: { en: 'money audit, rows a second', zh: '资金核对，每秒行数' }, unit: '' },
};

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const count = (value: number, digits = 0): string =>
  value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits });

/** Both tables, with the sentence that says where the figures come from. */
export function scaleTables(language: Language, { date, machine, footprint }: Measured): string {
  const say = ({ en, zh }: Text) => (language === 'en' ? en : zh);
  const figures = Object.entries(FIGURES).map(([name, { label, unit, digits }]) =>
    row([say(label), `${count(footprint[name as keyof Footprint], digits)} ${unit}`.trim()]),
  );
  const day = { curve: OFFICE_DAY, footprint, traffic: USUAL_TRAFFIC };
  const sizes = PEAKS.map((peak) => {
    const growth = growUntilItHolds(ONE_MACHINE, { ...day, peak });
    return row([count(peak), firstOf(growth, say), laterOf(growth, say), setupOf(growth.setup, say)]);
  });
  return [
    say({
      en: `Measured on ${date} with ${machine}:`,
      zh: `${date} 在 ${machine} 上测得：`,
    }),
    '',
    row([say({ en: 'figure', zh: '指标' }), say({ en: 'measured', zh: '实测' })]),
    row(['---', '---']),
    ...figures,
    '',
    say({
      en: `A day of load, beginning with one machine. A call takes ${USUAL_TRAFFIC.callSeconds} s and streams ${USUAL_TRAFFIC.chunksPerCall} chunks; the disk holds ${USUAL_TRAFFIC.ledgerDays} days of the ledger:`,
      zh: `一天的负载，从一台机器开始。一次调用用时 ${USUAL_TRAFFIC.callSeconds} 秒，流式返回 ${USUAL_TRAFFIC.chunksPerCall} 个分块；磁盘保存 ${USUAL_TRAFFIC.ledgerDays} 天的账本：`,
    }),
    '',
    row([
      say({ en: 'calls/s at the peak', zh: '高峰每秒调用' }),
      say({ en: 'one machine: breaks first', zh: '一台机器：最先出问题' }),
      say({ en: 'then, in this order', zh: '之后依次' }),
      say({ en: 'holds with', zh: '能够承受的配置' }),
    ]),
    row(['---', '---', '---', '---']),
    ...sizes,
  ].join('\n');
}

function firstOf({ steps: [first] }: Growth, say: (text: Text) => string): string {
  if (first === undefined) return say({ en: 'nothing', zh: '无' });
  const { part, minute } = first.broke;
  const load = `${count(part.share * 100)} %`;
  // A part that is full from the first minute on has no time of the day.
  const clock =
    minute === 0 ? { en: '', zh: '' } : { en: ` at ${clockOf(minute)}`, zh: `，${clockOf(minute)}` };
  return say({
    en: `${part.name.en}${clock.en} (${load})`,
    zh: `${part.name.zh}${clock.zh}（${load}）`,
  });
}

/** Each part once, where it broke for the first time. */
function laterOf({ steps }: Growth, say: (text: Text) => string): string {
  const names = new Set(steps.map(({ broke }) => say(broke.part.name)));
  return [...names].slice(1).join(say({ en: ', ', zh: '、' })) || '–';
}

function setupOf(setup: Setup, say: (text: Text) => string): string {
  const log = setup.isLogExported
    ? say({ en: ', log in ClickHouse', zh: '，日志在 ClickHouse' })
    : say({ en: `, ${setup.logDays} days of log`, zh: `，日志保留 ${setup.logDays} 天` });
  const cells = say({
    en: setup.cells === 1 ? '' : `${count(setup.cells)} cells of `,
    zh: setup.cells === 1 ? '' : `${count(setup.cells)} 个单元，每个：`,
  });
  const gateways = say({
    en: `${setup.nodes} gateway${setup.nodes === 1 ? '' : 's'}`,
    zh: `${setup.nodes} 个网关`,
  });
  return say({
    en: `${cells}${gateways} and a database of ${setup.databaseCores} ${setup.databaseCores === 1 ? 'core' : 'cores'}, ${setup.databaseTerabytes} TB${log}`,
    zh: `${cells}${gateways}，数据库 ${setup.databaseCores} 核、${setup.databaseTerabytes} TB${log}`,
  });
}
