// The mock video platforms by their names.
import { doubao } from './platforms/doubao.ts';
import { gemini, vertex } from './platforms/google.ts';
import { hailuo } from './platforms/hailuo.ts';
import { jimeng } from './platforms/jimeng.ts';
import { kling } from './platforms/kling.ts';
import { runway } from './platforms/runway.ts';
import { sora } from './platforms/sora.ts';
import { vidu } from './platforms/vidu.ts';
import { wan } from './platforms/wan.ts';

export const shapes = { sora, gemini, vertex, kling, doubao, wan, hailuo, vidu, jimeng, runway };
export type PlatformName = keyof typeof shapes;
