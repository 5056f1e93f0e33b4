// What the text of a notice is made of.
import type { Text } from '#contract/language.ts';

export interface NoticeText {
  title: Text;
  text: Text;
}

export interface TextSettings {
  SystemName: string;
  ServerAddress: string;
  QuotaPerUnit: number;
  SiteTimeZone: string;
}

export interface TextFacts extends TextSettings {
  /** Of the receiver; empty for the operators. */
  username: string;
  /** A page of the console. */
  page: (path: string) => string;
}
