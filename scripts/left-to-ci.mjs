// What a whole `npm test` leaves to CI, so that it ends within ten minutes on two processors. CI runs all of it, `npm test -- path`
// what it names, `npm test -- --changed` what a change reaches. Each page of the console stays: its main file runs, and the rules
// behind the rest are proved at the server.
import { slowProofs } from './slow-proofs.mjs';

/** Browser tests → what `npm test` has of the same guarantee. Looks are pictures, themes, widths, and walks by keyboard and reader. */
export const leftBrowserTests = {
  'account-mail': 'integration/admin/accounts/{email,mail}',
  'account-outside': 'integration/admin/outside-logins',
  'attacks-content': 'e2e/sanitise, integration/platform/{port/upstream-content,security/injection}',
  'channel-page': 'integration/admin/channels/page, e2e/channels',
  'channels-tags': 'integration/admin/channels/tags, e2e/channels',
  chat: 'web/features/chat, e2e/tokens',
  docs: 'integration/admin/site/{api-reference,docs-commands}',
  drawing: 'integration/relay/drawing, e2e/tasks',
  keyboard: 'e2e/shell-grid',
  'leaked-key': 'integration/admin/tokens/leaked',
  looks: 'looks',
  'model-page': 'integration/admin/models',
  notices: 'integration/admin/notices',
  'pages-of-things': 'integration/admin/pages',
  'private-address': 'integration/admin/channels/private-address',
  refusals: 'web/ui/input/refusal, integration/admin/http/messages',
  'screen-reader': 'looks',
  'settings-effects': 'integration/admin/settings/effects',
  'settings-ratios': 'web/ui/sheet, integration/admin/settings/api, e2e/price-book',
  'shell-accessibility': 'looks',
  'shell-content': 'e2e/sanitise, integration/admin/site/site',
  'slow-network': 'web/ui/feedback, e2e/shell',
  status: 'integration/admin/status',
  suppliers: 'integration/{suppliers,admin/suppliers}, integration/money/ledger/margins',
  'tokens-form': 'web/features/tokens/form, integration/admin/tokens, e2e/tokens',
  'tokens-look': 'looks',
  'two-people': 'web/ui/conflict, integration/admin/settings/{two-people,two-people-more}',
  'way-on': 'web/features/account/outside, e2e/account',
};

/** The developers' guides are followed and mistakes planted on copies of the project; the chart is compiled three times. */
const onCopies = new Set([
  'tests/conformance/guides.test.ts',
  'scripts/planted-faults.test.ts',
  'scripts/chart.test.ts',
]);

export function isLeftToCi(file) {
  const [, name] = /^tests\/e2e\/(.+)\.test\.ts$/.exec(file) ?? [];
  return name === undefined ? onCopies.has(file) || slowProofs.test(file) : name in leftBrowserTests;
}
