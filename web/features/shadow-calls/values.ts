/** The values of the editor and the body that is sent; without React, for unit tests. */
import type { ShadowFields } from '#contract/relay/shadow-calls.ts';

export interface ShadowValues extends Omit<ShadowFields, 'groups' | 'from' | 'until'> {
  /** Comma-separated. */
  groups: string;
  /** As `datetime-local`; blank: no bound. */
  from: string;
  until: string;
}

const pad = (value: number): string => String(value).padStart(2, '0');

/** In the reader's own time zone. */
export function localTime(seconds: number): string {
  if (seconds === 0) return '';
  const at = new Date(seconds * 1000);
  const day = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
  return `${day}T${pad(at.getHours())}:${pad(at.getMinutes())}`;
}

export function secondsOf(local: string): number {
  const milliseconds = local === '' ? 0 : new Date(local).getTime();
  return Number.isFinite(milliseconds) ? Math.floor(milliseconds / 1000) : 0;
}

export function formValues(fields: ShadowFields | undefined): ShadowValues {
  if (fields === undefined)
    return {
      name: '',
      enabled: true,
      model: '',
      groups: '',
      target_model: '',
      target_group: '',
      share_percent: 1,
      dollars_per_day: 1,
      most_samples: 200,
      from: '',
      until: '',
    };
  const { name, enabled, model, groups, target_model, target_group, ...rest } = fields;
  const { share_percent, dollars_per_day, most_samples, from, until } = rest;
  return {
    name,
    enabled,
    model,
    groups: groups.join(', '),
    target_model,
    target_group,
    share_percent,
    dollars_per_day,
    most_samples,
    from: localTime(from),
    until: localTime(until),
  };
}

export const bodyOf = ({ groups, from, until, ...values }: ShadowValues): ShadowFields => ({
  ...values,
  groups: groups
    .split(/[,，]/)
    .map((group) => group.trim())
    .filter((group) => group !== ''),
  from: secondsOf(from),
  until: secondsOf(until),
});
