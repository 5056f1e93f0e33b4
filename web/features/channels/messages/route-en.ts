/** Words of the route simulator in English. */
import type { Messages } from '#web/i18n/namespaces.ts';
import type zh from './route-zh.ts';

const messages: Messages<typeof zh> = {
  title: 'Route simulator',
  model: 'Model',
  group: 'Group',
  serves_one: 'One channel serves it',
  serves_other: '{{count}} channels serve it, in order of attempts',
  nobody: 'No channel serves it: calls are refused',
  rank: 'Tier {{tier}} · priority {{priority}} · weight {{weight}}',
  place: 'place {{place}}',
  factor: 'keeps {{percent}} % of its calls (low supplier score)',
  cost: '{{amount}} a call',
  costUnknown: 'cost unknown',
  firstToken: 'first token {{seconds}} s',
  notMeasured: 'not measured',
  order: {
    weight: 'Inside a tier, calls are shared by weight.',
    priority:
      'Inside a tier, the channel with the highest weight takes every call; the next one is used when it cannot be.',
    cheapest:
      'Inside a tier, the lowest buy price comes first. A call of 3,000 tokens in and 1,000 out is compared.',
    fastest:
      'Inside a tier, the quickest first token of the last hours comes first; {{share}} of the calls try channels that are not measured.',
    balanced:
      'Inside a tier, calls are shared by weight; a channel that costs or waits twice as much gets half of them.',
  },
  cooling: 'cooling down',
  reserve: 'reserve',
  others: 'Why not the others',
  withoutModel_one: 'One more channel does not have this model',
  withoutModel_other: '{{count}} more channels do not have this model',
  reason: {
    disabled: 'Disabled by hand',
    auto_disabled: 'Disabled automatically',
    no_group: 'Not in this group',
    no_model: 'Does not have the model',
    type_not_ready: 'The gateway cannot call this type yet',
    other_format: 'This type does not offer this kind of call',
    inconsistent: 'Abilities do not match, fix the consistency',
  },
};

export default messages;
