// Midjourney actions, each billed as a model of its own name at one price a call. In-painting and custom
// zoom only open a dialog; the call that follows is the one that is paid.
import { byCall, type Group } from './price.ts';

export const midjourney: readonly Group[] = [
  byCall(
    { kind: 'task' },
    {
      mj_imagine: 0.1,
      mj_variation: 0.1,
      mj_high_variation: 0.1,
      mj_low_variation: 0.1,
      mj_reroll: 0.1,
      mj_blend: 0.1,
      mj_modal: 0.1,
      mj_zoom: 0.1,
      mj_pan: 0.1,
      mj_shorten: 0.1,
      mj_describe: 0.05,
      mj_upscale: 0.05,
      mj_upload: 0.05,
      mj_inpaint: 0,
      mj_custom_zoom: 0,
      swap_face: 0.05,
    },
  ),
];
