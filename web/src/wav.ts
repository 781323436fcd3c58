// Sound as people save it.

/** Whole numbers as libsndfile makes them: to the nearest, halves to even. */
function rounded(value: number): number {
  const down = Math.floor(value), rest = value - down;
  return rest < 0.5 || (rest === 0.5 && down % 2 === 0) ? down : down + 1;
}

/** A WAV file of samples whose channels are interleaved: 16 or 24 bits, or 32 of floating point. */
export function wavFile(samples: Float64Array, rate: number, channels: number, bits: number): ArrayBuffer {
  const width = bits / 8, bytes = width * samples.length;
  const view = new DataView(new ArrayBuffer(44 + bytes + (bytes % 2)));
  const word = (at: number, text: string) => [...text].forEach((letter, i) => view.setUint8(at + i, letter.charCodeAt(0)));
  word(0, 'RIFF');
  view.setUint32(4, view.byteLength - 8, true);
  word(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, bits === 32 ? 3 : 1, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, channels * width * rate, true);
  view.setUint16(32, channels * width, true);
  view.setUint16(34, bits, true);
  word(36, 'data');
  view.setUint32(40, bytes, true);
  const full = 2 ** (bits - 1) - 1;
  samples.forEach((sample, i) => {
    const at = 44 + width * i;
    if (bits === 32) return view.setFloat32(at, sample, true);
    // Beyond full scale, which a fixed gain may reach, samples are cut off.
    const value = Math.max(-full - 1, Math.min(full, rounded(sample * full)));
    if (bits === 16) return view.setInt16(at, value, true);
    view.setUint16(at, value & 0xffff, true);
    view.setInt8(at + 2, value >> 16);
  });
  return view.buffer as ArrayBuffer;
}
