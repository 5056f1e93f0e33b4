/** Words of buy prices and suppliers in English. */
import type { Messages } from '#web/i18n/namespaces.ts';
import type zh from './costs-zh.ts';

const messages: Messages<typeof zh> = {
  supplier: 'Supplier',
  noSupplier: 'None',
  manage: 'Manage suppliers',
  own: 'Buy price of this channel',
  ownHint: "Replaces the supplier's buy price. Calls of a channel without one have an unknown cost.",
  kind: {
    label: 'How the supplier charges',
    none: 'None',
    inherit: 'As the supplier',
    list: 'Multiple of the list price',
    table: 'Own price table',
    plan: 'Monthly plan',
  },
  multiplier: 'Multiplier',
  multiplierHint: '0.7 is 30 % below the list price.',
  planMultiplierHint: 'On the list price of each call, beside the fee; 0: calls cost nothing extra.',
  monthlyFee: 'Monthly fee for each key (dollars)',
  rechargeRate: 'Recharge rate',
  rechargeRateHint: 'What a dollar of credit at the supplier costs in dollars, such as 0.7.',
  batchRatio: 'Price of batches',
  models: 'Prices by model',
  modelsHint:
    'JSON, dollars per million tokens: input, output, cacheRead, cacheWrite5m, cacheWrite1h, image, audioIn, audioOut, reasoning; or perCall, perSecond, resolutions.',
  template: 'Template',
  title: 'Suppliers and buy prices',
  name: 'Name',
  add: 'Add supplier',
  edit: 'Change {{name}}',
  remove: 'Delete {{name}}',
  removeAsk: 'Delete the supplier {{name}}?',
  removeText_one:
    'Its channel belongs to no supplier afterwards; without a buy price its cost is unknown. Recorded costs stay.',
  removeText_other:
    'Its {{count}} channels belong to no supplier afterwards; those without a buy price have an unknown cost. Recorded costs stay.',
  channels_one: '{{count}} channel',
  channels_other: '{{count}} channels',
  saved: 'Saved',
  removed: 'Deleted',
  empty: 'No suppliers yet. Where one seller provides several channels, the buy price is entered here once.',
  short: { list: '×{{multiplier}}', table: 'Table', plan: '{{fee}}/month' },
  inherited: 'from the supplier {{name}}',
};

export default messages;
