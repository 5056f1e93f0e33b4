import type { Messages } from '#web/i18n/namespaces.ts';
import type zh from './zh.ts';

export default {
  title: 'First steps',
  progress: '{{done}} of {{total}} done',
  hide: 'Hide',
  hidden: 'Hidden. Settings, General shows it again',
  check: 'Check again',
  all: 'All',
  less: 'Less',
  state: { done: 'done', open: 'to do', failed: 'does not work' },
  channel: {
    title: 'Connect a provider',
    done: 'A channel has passed its test',
    none: 'Choose the provider, paste the key; its models are listed and tested',
    untested: 'No channel has passed a test yet: {{detail}}',
    action: 'Connect',
    retry: 'Look at the channels',
  },
  price: {
    title: 'Give the models a price',
    done: 'Every model on offer has a price',
    none: 'Common models have a built-in price; check the others after connecting',
    unpriced: 'Calls of these models are refused, they have no price: {{detail}}',
    action: 'Set prices',
  },
  token: {
    title: 'Make a call with a token',
    done: 'A call with a token was answered',
    none: 'Create a token and send the first call with the Connect wizard',
    action: 'Create a token',
  },
  address: {
    title: 'The public address',
    done: '{{detail}} leads here',
    none: 'Links in mails, pictures and payment callbacks need it',
    local: '{{detail}} works on this machine only',
    unreachable: '{{detail}} does not answer',
    other_site: '{{detail}} is answered by another site',
    action: 'Enter it',
  },
  mail: {
    title: 'Send mail',
    done: 'The mail server has taken a letter',
    none: 'For codes, forgotten passwords and reminders',
    unsent: 'No letter was sent yet {{detail}}',
    action: 'Set up mail',
  },
  payment: {
    title: 'Take payments',
    done: 'Users can top up',
    none: 'Connect Epay or Stripe, or link the shop that sells your codes',
    action: 'Set up payment',
  },
  backup: {
    title: 'Back up',
    done: 'Last backup {{when}}',
    none: 'Set an interval: the database is copied to the data directory or to S3',
    unmade: 'No backup was made yet {{detail}}',
    old: 'The last backup was {{when}}',
    action: 'Set up backups',
  },
} satisfies Messages<typeof zh>;
