// Screenshots as pixels: reads PNG files of eight bits without interlacing, as browsers write them.

import { inflateSync } from "node:zlib";

// Returns width, height and a function from a place in pixels to its red, green and blue.
export function read(png) {
  const width = png.readUInt32BE(16), height = png.readUInt32BE(20), channels = png[25] === 6 ? 4 : 3;
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const lines = inflateSync(Buffer.concat(parts)), stride = width * channels;
  const bytes = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const kind = lines[y * (stride + 1)], row = y * stride;
    for (let x = 0; x < stride; x++) {
      const left = x < channels ? 0 : bytes[row + x - channels];
      const above = y === 0 ? 0 : bytes[row - stride + x];
      const corner = x < channels || y === 0 ? 0 : bytes[row - stride + x - channels];
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][kind];
      bytes[row + x] = lines[y * (stride + 1) + 1 + x] + guess;
    }
  }
  const at = (x, y) => [...bytes.subarray(y * stride + x * channels, y * stride + x * channels + 3)];
  return { width, height, at };
}

function paeth(left, above, corner) {
  const [a, b, c] = [left, above, corner].map((x) => Math.abs(left + above - corner - x));
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

// Returns the part of an area for whose pixels `fits` holds. The area is left, top, right and bottom as parts of the picture.
export function part({ width, height, at }, [left, top, right, bottom], fits) {
  let count = 0, all = 0;
  for (let y = Math.round(top * height); y < bottom * height; y++) {
    for (let x = Math.round(left * width); x < right * width; x++) {
      all++;
      if (fits(at(x, y))) count++;
    }
  }
  return count / all;
}
