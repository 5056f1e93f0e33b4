/** The side panel's values, kept in this browser. */
import { useState } from 'react';
import { defaultSettings, readSettings, type PlaygroundSettings } from './settings.ts';

const KEY = 'playground-settings';

export function usePlaygroundSettings(startModel: string | undefined) {
  const [settings, setSettings] = useState<PlaygroundSettings>(() => {
    const kept = readSettings(localStorage.getItem(KEY));
    return startModel ? { ...kept, models: [startModel, ...kept.models.slice(1)] } : kept;
  });
  const change = (next: PlaygroundSettings) => {
    localStorage.setItem(KEY, JSON.stringify(next));
    setSettings(next);
  };
  const reset = () => change({ ...defaultSettings(), models: settings.models, group: settings.group });
  return [settings, change, reset] as const;
}
