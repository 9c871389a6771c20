/* A shared object that is no plug-in: it exports something else. Thread: any. Real-time: no. */
__attribute__((visibility("default"))) int not_a_plugin(void);

int not_a_plugin(void) { return 0; }
