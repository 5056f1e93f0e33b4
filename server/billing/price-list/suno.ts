// Suno: a song or its lyrics at one price a task.
import { byCall, type Group } from './price.ts';

export const suno: readonly Group[] = [byCall({ kind: 'task' }, { suno_music: 0.1, suno_lyrics: 0.01 })];
