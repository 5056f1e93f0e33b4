/** The sections of all tabs by what they are about, for the index. A section without a subject does not compile. */
import type { SectionId } from './sections.ts';

export const SUBJECTS = ['window', 'accounts', 'money', 'calls', 'house'] as const;
export type Subject = (typeof SUBJECTS)[number];

/** In the order of the index. */
const SUBJECT_OF = {
  brand: 'window',
  address: 'window',
  home: 'window',
  notice: 'window',
  announcements: 'window',
  faq: 'window',
  about: 'window',
  footer: 'window',
  publicPages: 'window',
  legal: 'window',
  login: 'accounts',
  email: 'accounts',
  smtp: 'accounts',
  turnstile: 'accounts',
  github: 'accounts',
  linuxdo: 'accounts',
  wechat: 'accounts',
  telegram: 'accounts',
  oidc: 'accounts',
  organizations: 'accounts',
  pricing: 'money',
  groups: 'money',
  quota: 'money',
  payment: 'money',
  agents: 'money',
  general: 'calls',
  limits: 'calls',
  monitoring: 'calls',
  sensitive: 'calls',
  chat: 'calls',
  drawing: 'calls',
  media: 'calls',
  notices: 'house',
  logs: 'house',
  dashboard: 'house',
  export: 'house',
  backup: 'house',
  worker: 'house',
  configuration: 'house',
  version: 'house',
} as const satisfies Record<SectionId, Subject>;

const SECTION_IDS = Object.keys(SUBJECT_OF) as SectionId[];

export const sectionsAbout = (subject: Subject): SectionId[] =>
  SECTION_IDS.filter((id) => SUBJECT_OF[id] === subject);
