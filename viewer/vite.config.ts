import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// One file: the report must open from a disk, without a network.
export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: { target: "es2022", cssMinify: true, reportCompressedSize: false },
});
