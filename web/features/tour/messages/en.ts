import type { Messages } from '#web/i18n/namespaces.ts';
import type zh from './zh.ts';

export default {
  label: 'Tour of the demo',
  offer: {
    title: 'Have a look around?',
    text: 'One minute for the main pages. Everything here is made up: change what you like, a restart brings it back.',
  },
  start: 'Start',
  skip: 'No, thanks',
  next: 'Next',
  back: 'Back',
  end: 'End the tour',
  count: 'Step {{at}} of {{total}}',
  dashboard: {
    title: 'Dashboard',
    text: 'Thirty days of traffic: spend by model, response times, causes of failures, who spent most. A click on a figure leads to its log rows.',
  },
  channel: {
    title: 'Channels',
    text: 'A channel is a key of an upstream. When one fails, the call goes to the next. The one with a wrong key was switched off automatically.',
  },
  log: {
    title: 'Logs',
    text: 'Open any row: its charge is written out as an equation, and administrators see every attempt. Calls go on while you read.',
  },
  wallet: {
    title: 'Wallet',
    text: 'Users top up, redeem codes and read statements here. The payment page of the demo is a mock: a click on Pay credits the order.',
  },
  playground: {
    title: 'Playground',
    text: 'Ask something. The mock upstream streams an answer, and the call appears in the log.',
  },
  token: {
    title: 'Tokens',
    text: 'A token is a key for calls. The Connect wizard writes the configuration of each client.',
  },
} satisfies Messages<typeof zh>;
