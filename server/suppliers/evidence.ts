// What the console shows of one channel: distributions and the calls that prove something. No content and no user.
import type { EvidenceView, SupplierDetail } from '#contract/suppliers/suppliers.ts';
import type { Store } from '#server/platform/store/store.ts';
import { sumOf, type Cell } from './cell.ts';
import { dayOf, lastDays, readCounts } from './counts.ts';
import { mergeInto, type Histogram } from './histogram.ts';
import { DAYS_JUDGED } from './score.ts';

const MOST_EVIDENCE = 200;

export async function evidenceOf(
  store: Store,
  channelId: number,
): Promise<Pick<SupplierDetail, 'distributions' | 'evidence'>> {
  const today = dayOf(Date.now() / 1000);
  const cells = await readCounts(store, lastDays(today, DAYS_JUDGED), channelId);
  const models = [...Map.groupBy(cells, ({ model }) => model)].map(
    ([model, list]) => [model, sumOf(list.map(({ cell }) => cell))] as const,
  );
  return {
    distributions: models.map(([model, cell]) => ({
      model,
      input: together(cell, 'input'),
      output: together(cell, 'output'),
      first_token: cell.firstToken,
      speed: cell.speed,
    })),
    evidence: models
      .flatMap(([model, cell]) => cell.evidence.map((each) => evidenceView(model, each)))
      .toSorted((left, right) => right.at - left.at)
      .slice(0, MOST_EVIDENCE),
  };
}

function together(cell: Cell, side: 'input' | 'output'): Histogram {
  const sum: Histogram = {};
  mergeInto(sum, cell[`${side}_latin`]);
  mergeInto(sum, cell[`${side}_wide`]);
  return sum;
}

function evidenceView(
  model: string,
  { signal, requestId, at, claimed, counted }: Cell['evidence'][number],
): EvidenceView {
  return { signal, model, request_id: requestId, at, claimed, counted };
}
