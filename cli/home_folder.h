/* The folder that the program was started in, which a plug-in may leave: names of files are meant from there.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_HOME_FOLDER_H
#define WR_HOME_FOLDER_H

/* At the start. */
void wr_home_folder_keep(void);

/* Back to it, where files are opened by name after models have been called. */
void wr_home_folder_return(void);

#endif
