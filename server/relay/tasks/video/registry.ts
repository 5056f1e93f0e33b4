// The platform of each type of channel that makes videos.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { doubao } from './doubao.ts';
import { hailuo } from './hailuo.ts';
import { jimeng } from './jimeng.ts';
import { kling } from './kling.ts';
import type { VideoPlatform } from './platform.ts';
import { runway } from './runway.ts';
import { sora } from './sora.ts';
import { veoAtGemini, veoAtVertex } from './veo.ts';
import { vidu } from './vidu.ts';
import { wan } from './wan.ts';

const platforms: Readonly<Record<number, VideoPlatform>> = {
  [CHANNEL_TYPE.openAi]: sora,
  [CHANNEL_TYPE.sora]: sora,
  [CHANNEL_TYPE.newApi]: sora,
  [CHANNEL_TYPE.sub2Api]: sora,
  [CHANNEL_TYPE.gemini]: veoAtGemini,
  [CHANNEL_TYPE.palm]: veoAtGemini,
  [CHANNEL_TYPE.vertex]: veoAtVertex,
  [CHANNEL_TYPE.kling]: kling,
  [CHANNEL_TYPE.jimeng]: jimeng,
  [CHANNEL_TYPE.vidu]: vidu,
  [CHANNEL_TYPE.volcEngine]: doubao,
  [CHANNEL_TYPE.doubaoVideo]: doubao,
  [CHANNEL_TYPE.ali]: wan,
  [CHANNEL_TYPE.miniMax]: hailuo,
  [CHANNEL_TYPE.runway]: runway,
};

export const platformOf = ({ type }: { type: number }): VideoPlatform | undefined => platforms[type];
