// The price book, for the super admin. server/money/price-book has the rules.
import type { priceBook } from '#contract/money/price-book.ts';
import type { Handlers } from '#server/admin/context.ts';
import type { PriceBookDependencies } from './dependencies.ts';
import {
  editDraft,
  listDrafts,
  newDraft,
  previewImpact,
  publish,
  setSchedule,
  showDraft,
  withdraw,
} from './drafts.ts';
import { listModels } from './models.ts';
import { decide, importAddress, importList, listProposals } from './proposals.ts';
import { listVersions, rollBackVersion, showVersion } from './versions.ts';

export type { PriceBookDependencies } from './dependencies.ts';

export function createPriceBookHandlers(dependencies: PriceBookDependencies): Handlers<typeof priceBook> {
  return {
    models: listModels(dependencies),
    proposals: listProposals(dependencies),
    decide: decide(dependencies),
    importList: importList(dependencies),
    importAddress: importAddress(dependencies),
    versions: listVersions(dependencies),
    version: showVersion(dependencies),
    rollBack: rollBackVersion(dependencies),
    drafts: listDrafts(dependencies),
    draft: showDraft(dependencies),
    createDraft: newDraft(dependencies),
    changeDraft: editDraft(dependencies),
    schedule: setSchedule(dependencies),
    publish: publish(dependencies),
    withdraw: withdraw(dependencies),
    impact: previewImpact(dependencies),
  };
}
