// The files of a task's result: where the upstream has them, and the addresses that users get.
import type { TaskPart } from '#contract/relay/tasks.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { mediaAddress, type MediaFile, type MediaKind } from '#server/relay/media/index.ts';
import { serves } from './channels.ts';
import type { Platform } from './platform.ts';
import type { Task } from './rows.ts';

export const FILE_FIELDS = {
  image: 'image_url',
  audio: 'audio_url',
  video: 'video_url',
} as const satisfies Record<MediaKind, keyof TaskPart>;
export const fileName = (kind: MediaKind, index: number): string => `${kind}-${index}`;

export interface TaskFiles {
  /** Every file with an address, by the parts of the result. */
  of(task: Task): MediaFile[];
  /** The parts of the result, with the addresses for users. */
  partsOf(task: Task): TaskPart[];
  /** Our address of a file, or the upstream's when results are not forwarded. */
  addressOf(task: Task, kind: MediaKind, index: number, address: string): string;
}

export function taskFiles(core: Core, platforms: readonly Platform[]): TaskFiles {
  const { settings, store, catalog } = core;
  const byName = new Map(platforms.map((platform) => [platform.name, platform]));
  const kinds = Object.entries(FILE_FIELDS) as [MediaKind, (typeof FILE_FIELDS)[MediaKind]][];

  function isForwarded(task: Task): boolean {
    const { current } = settings;
    return byName.get(task.platform)?.isForwarded?.(current, task) ?? current.MediaForwardEnabled;
  }

  const ownAddress = (task: Task, name: string): string =>
    mediaAddress(store.vault, settings.current.ServerAddress, { task, name });

  function addressOf(task: Task, kind: MediaKind, index: number, address: string): string {
    return address === '' || !isForwarded(task) ? address : ownAddress(task, fileName(kind, index));
  }

  function hiddenVideo(task: Task): MediaFile | undefined {
    const platform = byName.get(task.platform);
    const channel = catalog.current.channel(task.channel_id);
    if (platform === undefined || !serves(channel, platform.format)) return undefined;
    const source = platform.hiddenVideo?.(core, channel, task);
    if (source === undefined) return undefined;
    // The upstream's address needs the channel's key. Users get our address, also with MediaForwardEnabled off.
    return {
      task,
      name: fileName('video', 0),
      kind: 'video',
      source,
      isFinal: isDone(task),
      isForwarded: true,
    };
  }

  return {
    addressOf,
    of(task) {
      const platform = byName.get(task.platform);
      if (platform?.partsOf === undefined) return [];
      const channel = catalog.current.channel(task.channel_id);
      const isServed = serves(channel, platform.format);
      const proxy = isServed ? channel.setting.proxy : '';
      const home = isServed ? originOf(channel) : '';
      const common = { task, isFinal: isDone(task), isForwarded: isForwarded(task) };
      const files = platform.partsOf(task).flatMap((part, index) =>
        kinds
          .filter(([, field]) => part[field] !== '')
          .map(([kind, field]) => ({
            ...common,
            name: fileName(kind, index),
            kind,
            source: { url: part[field], home, proxy },
          })),
      );
      const hidden = hiddenVideo(task);
      return hidden === undefined ? files : [...files, hidden];
    },
    partsOf(task) {
      const parts = byName.get(task.platform)?.partsOf?.(task) ?? [];
      const hidden = hiddenVideo(task);
      return parts.map((part, index) => ({
        ...part,
        ...Object.fromEntries(
          kinds.map(([kind, field]) => [field, addressOf(task, kind, index, part[field])]),
        ),
        ...(hidden === undefined || index > 0 ? {} : { video_url: ownAddress(task, hidden.name) }),
      }));
    },
  };
}

/** Of a channel with an address of its own; the vendors' own addresses are public. */
export const originOf = ({ baseUrl }: Pick<Channel, 'baseUrl'>): string => URL.parse(baseUrl)?.origin ?? '';

const isDone = ({ status }: Task): boolean => status === 'SUCCESS';
